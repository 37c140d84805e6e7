"""What is needed everywhere and belongs nowhere else."""
