"""How runs are done."""
