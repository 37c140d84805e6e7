"""Algorithms on partitioned graphs, one file each; ``base.py`` says what one consists of."""
