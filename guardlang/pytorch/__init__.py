"""PyTorch: the facts of its tensors and its ambient state. Importing this package does not import torch."""
