"""The solver: proves, refutes and simplifies guards."""
