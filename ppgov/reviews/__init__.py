"""Recurring reviews: what a pack declares, and what completion records outside the pack say about them.

A pack is not edited when a review is done (RFC 0016): records lie beside it, keyed by pack id and review id.
"""
