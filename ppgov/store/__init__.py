"""Packs in a triple store that lasts: on disk here, and at a server by the Graph Store Protocol."""
