"""ppgov: governance and compliance reporting for PromptPacks. It records and resolves; it never judges."""

__version__ = "0.1.0"
