"""Questions to packs: guarded SPARQL over the graph of one pack or of a fleet."""
