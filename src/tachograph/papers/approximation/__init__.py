"""B. Aktılav, I. Öz: Performance and accuracy predictions of approximation methods for shortest-path
algorithms on GPUs (2022), again from what is measured on this machine.
"""
