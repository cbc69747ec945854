"""1xx: what keeps a file from being read, and what the format's schema refuses.

The reader (`source`) and the schema (`schema`) find these; this module is their manual.
"""

from __future__ import annotations

from ppgov.checks.rule import Rule, row

_READ = "RFC 8259; YAML 1.2"
_FORMAT = "PromptPack 1.9.0 schema"

RULES: tuple[Rule, ...] = (
    row("PPG101", "unreadable-input", "error", _READ, """
        The file cannot be opened: it is absent, a broken link, a folder, or may not be read.

        Why: nothing can be said about a pack that was not read. The other inputs are still checked.
        Fix: correct the path, mend the link, or give read permission.

        Bad:  ppgov check pcak.yaml
        Good: ppgov check pack.yaml
        """),
    row("PPG102", "invalid-encoding", "error", _READ, """
        The file is not plain UTF-8: another encoding, or a byte order mark in front.

        Why: two readers could see two different texts, and a signature would cover only one of them.
        Fix: save the file as UTF-8 without a byte order mark.
        """),
    row("PPG103", "syntax-error", "error", _READ, """
        The text is not valid YAML or JSON, or holds a number that neither can carry.

        Why: a reader would have to guess. YAML indents with spaces, never with tabs; JSON knows no NaN.
        Fix: correct the text at the line and column that the message names.

        Bad:  {"threshold": NaN}
        Good: {"threshold": 0.9}
        """),
    row("PPG104", "duplicate-key", "error", _READ, """
        A mapping holds the same key twice.

        Why: readers disagree which of the two counts, so a reviewer could read one and the runtime use the other.
        Fix: keep one of them; the message names the line of the first.

        Bad:  autonomy_level: suggests
              autonomy_level: acts_autonomously
        Good: autonomy_level: suggests
        """),
    row("PPG105", "unsupported-yaml", "error", _READ, """
        A YAML feature that plain data does not need: a tag, a merge key, a key that is no string,
        an alias inside its own anchor, or a second document.

        Why: tags can build objects, parsers read merge keys differently, and a JSON twin could not exist.
        Fix: write plain mappings, lists, strings, numbers, true, false and null; one pack in each file.

        Bad:  secret: !!python/object:os.system ls
        Good: secret: ls
        """),
    row("PPG106", "limit-exceeded", "error", "docs/security.md", """
        The file is larger than 10 MiB (see --max-bytes), nests deeper than 100 levels, expands to more than
        500,000 values, or holds a key of more than 500 characters.

        Why: a hostile file must not exhaust the machine. A real pack is a thousand times smaller.
        Fix: split or flatten the file; write out aliases that repeat large parts.
        """),
    row("PPG107", "not-a-pack", "error", "PromptPack 1.9.0 schema", """
        The file is empty, or its top is not a mapping.

        Why: a PromptPack is one mapping with id, name, version, template_engine and prompts.
        Fix: name a pack file.

        Bad:  - id: support
        Good: id: support
        """),
    row("PPG108", "no-canonical-form", "warning", "RFC 8785 3.2", """
        The data has no canonical form, so its canonical digest is null.

        Why: an integer beyond 2^53 or half of a surrogate pair is read differently by different JSON readers;
        an approval by canonical digest cannot cover such a pack.
        Fix: write the number as a string, or the character itself.

        Bad:  {"build": 9007199254740993}
        Good: {"build": "9007199254740993"}
        """),
    row("PPG110", "missing-property", "error", _FORMAT, """
        An object lacks a property that the format requires.

        Why: a runtime would refuse the pack or guess.
        Fix: add the property that the message names.

        Bad:  evals: [{id: tone, type: llm_judge}]
        Good: evals: [{id: tone, type: llm_judge, trigger: every_turn}]
        """),
    row("PPG111", "unknown-property", "error", _FORMAT, """
        A closed object holds a property that the format does not know.

        Why: a misspelt declaration declares nothing, and nobody would notice.
        Fix: use the name that the hint offers, or move the value to extensions.

        Bad:  governance: {autonomy: suggests}
        Good: governance: {autonomy_level: suggests}
        """),
    row("PPG112", "wrong-type", "error", _FORMAT, """
        A value has another type than the format wants.

        Why: YAML reads an unquoted 1.10 as a number and an empty value as null; both lose what was meant.
        Fix: quote text that looks like a number; write the list or mapping that is expected.

        Bad:  version: 1.10
        Good: version: "1.10.0"
        """),
    row("PPG113", "not-in-list", "error", "PromptPack 1.9.0 schema", """
        A value is not one of the values that the format allows.

        Why: an invented level has no meaning that two readers share, and must not count as any known one.
        Fix: use one of the values that the message lists.

        Bad:  autonomy_level: autonomous
        Good: autonomy_level: acts_autonomously
        """),
    row("PPG114", "malformed-value", "error", _FORMAT, """
        A text does not have the form that the format asks for, such as a version, an id or a language code.

        Why: other tools build names and addresses from it.
        Fix: write it in the form that the message describes.

        Bad:  id: My Pack
        Good: id: my-pack
        """),
    row("PPG115", "out-of-range", "error", _FORMAT, """
        A number, a length or a count lies outside the limits of the format, or a list repeats what must be unique.

        Why: a runtime may refuse the value or cut it.
        Fix: stay within the limits that the message names.

        Bad:  sample_percentage: 250
        Good: sample_percentage: 25
        """),
    row("PPG116", "no-matching-form", "error", _FORMAT, """
        A value may have one of several forms and has none of them.

        Why: which form was meant cannot be told, so no closer message is possible.
        Fix: write one of the forms that the message lists.

        Bad:  skills: [{preload: true}]
        Good: skills: [{path: ./skills/billing, preload: true}]
        """),
    row("PPG120", "unknown-format-version", "warning", "PromptPack 1.9.0 schema", """
        `$schema` names no PromptPack format version that this tool knows.

        Why: the pack is checked as format 1.9.0, which may not be what its author meant.
        Fix: name a published version, or leave `$schema` out.

        Bad:  $schema: https://example.org/pack.json
        Good: $schema: https://promptpack.org/schema/v1.9.0/promptpack.schema.json
        """),
    row("PPG121", "newer-property", "warning", "PromptPack 1.9.0 schema", """
        A property is newer than the format version that `$schema` names.

        Why: a runtime of the named version does not know the property; its declaration would go unread.
        Fix: name the format version that brought the property, or a later one.

        Bad:  $schema: https://promptpack.org/schema/v1.2/promptpack.schema.json   (and a workflow)
        Good: $schema: https://promptpack.org/schema/v1.9.0/promptpack.schema.json
        """),
)  # fmt: skip
