"""Reads whom a question or a topic is about: "my sister's dog", "Hanna", "the name of my cat".
English. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

from lobug.language.claims import Path
from lobug.language.en.claims.clause_parser import Token, lemma
from lobug.language.en.claims.relation_book import relation_book

OWNERS = {"my": "user", "our": "user", "his": "he", "her": "she", "their": "they", "its": "it"}
PRONOUNS = {"i": "user", "we": "user", "he": "he", "she": "she", "they": "they", "it": "it"}
OBJECTS = {"me": "user", "us": "user", "him": "he", "her": "she", "them": "they"}
DETERMINERS = frozenset("the this that these those a an both".split())
UNSAID = frozenset(
    "new own next dear current beloved lovely poor only actual present sweet real late two three"
    " four five six".split()
)
"""Adjectives that tell nobody apart."""
FORMER = frozenset("old former previous last past first ex".split())
"""Before a noun of a relation ("my old address") they ask for what was."""
FAMILY = frozenset(
    """mother mum mom father dad sister brother wife husband son daughter aunt auntie uncle cousin
    niece nephew grandmother grandma grandfather grandpa girlfriend boyfriend friend""".split()
)
"""After one of these a word in small letters may be a name."""
EVENTS = frozenset("appointment meeting checkup check-up".split())

NEVER_IN_NOUN = frozenset(
    """a an the this that these those my our your his her their its i you he she they we it me us
    him them and or but if because so that who whom whose which what where when why how whether
    am is are was were be been being do does did have has had having will would shall should can
    could may might must cannot not n't 's ' 'm 're 've 'll 'd
    in on at to of for from with by about into onto under over behind near since until till between
    against without within during through upstairs downstairs outside inside
    now then still again ever never always already really actually currently usually often sometimes
    today tomorrow yesterday tonight here there too also anymore before ago else exactly
    called named born allergic afraid scared married engaged divorced single widowed separated
    pregnant retired dead alive vegetarian vegan pescatarian left-handed right-handed old tall heavy
    worth due got gone based employed unemployed diabetic ill sick kept parked stored located hidden
    supposed going years more than like please any some no yes ok okay very much many most
    right wrong sure fine good bad true late early ready happy sad angry tired hungry famous rich
    beautiful handsome crazy cool cute nearest closest""".split()
)
NOUNS_IN_ING = frozenset(
    "ring wedding meeting earring building training painting morning evening reading king".split()
)
NOT_NAMES = NEVER_IN_NOUN | frozenset(
    """anything something nothing everything anyone anybody someone somebody everyone everybody
    nobody people one two three four five there time life money god next dinner lunch breakfast
    work home school weather food traffic tell give go take make get know think need want use turn
    play stop start let see look say come put set find""".split()
)
"""Words in small letters that are nobody's name."""
OF_ANYTHING = frozenset({"name", "birthday", "age"})
"""Nouns before which a word without an apostrophe is an owner: "my teddys name"."""
OF_NOUNS = frozenset({"birth", "work", "origin", "residence"})
"""What follows "of" within a noun: "my date of birth"."""
MOST_WORDS = 5


def subjects(found: Sequence[Token], at: int = 0) -> list[tuple[Path, int]]:
    """All subjects that may begin at an index, each with the index after it, the shortest first."""
    if at >= len(found):
        return []
    first = found[at].low
    if first in OWNERS:
        return [_joined(*one) for one in _owned(found, at + 1, (OWNERS[first],))]
    if first in PRONOUNS:
        return [((PRONOUNS[first],), at + 1)]
    if first in DETERMINERS:
        return _of_another(found, at) or _bare_thing(found, at + 1)
    return _named(found, at)


def _joined(path: Path, end: int) -> tuple[Path, int]:
    """ "My dentist's appointment" is "my dentist appointment"."""
    if len(path) == 3 and path[-1] in EVENTS:
        return (path[0], f"{path[1]} {path[2]}"), end
    return path, end


def _owned(found: Sequence[Token], at: int, path: Path) -> list[tuple[Path, int]]:
    """Nouns after an owner: "my sister", "my sister's dog Rex"."""
    read: list[tuple[Path, int]] = []
    noun: list[Token] = []
    while at < len(found) and len(noun) < MOST_WORDS:
        token = found[at]
        if noun and _marks_owner(found, at):
            path, noun = (*path, canonical([word.low for word in noun])), []
            read = []  # what was read so far is the owner
            at += 1
            continue
        if noun and _is_bare_owner(noun, found[at : at + 3]):
            path, noun = (*path, canonical([_singular(word.low) for word in noun])), []
            read = []
        of = token.low == "of" and at + 1 < len(found) and found[at + 1].low in OF_NOUNS
        if not of and not _in_noun(token, noun):
            break
        noun.append(token)
        at += 1
        if of:
            continue
        if _in_noun_at_end(token):
            read.append(((*path, canonical([word.low for word in noun])), at))
        if len(noun) == 2 and noun[0].low in FAMILY and token.text.islower():
            # "My aunt rosa", as speech-to-text writes it.
            read.append(((*path, canonical([noun[0].low])), at))
        if _is_somebody(token.low) and at < len(found) and _is_name(found[at]):
            while at < len(found) and _is_name(found[at]):
                at += 1
            if at < len(found) and found[at].low == "'s":
                continue
            return [((*path, canonical([word.low for word in noun])), at)]
    if at < len(found) and found[at].low in {"'s", "'"}:
        return [(owner, end) for owner, end in read if end == at]  # "is" or "has", contracted
    return read


def _marks_owner(found: Sequence[Token], at: int) -> bool:
    """Whether an apostrophe marks an owner: "my nan's cat", not "my nan's called"."""
    if found[at].low not in {"'s", "'"}:
        return False
    return at + 1 < len(found) and _in_noun(found[at + 1], [])


def _is_bare_owner(noun: Sequence[Token], following: Sequence[Token]) -> bool:
    """Whether speech-to-text left out an apostrophe: "my sisters name"."""
    singular = _singular(noun[-1].low)
    if singular == noun[-1].low:
        return False
    low = following[0].low
    if not _is_somebody(singular):
        return low in OF_ANYTHING
    book = relation_book()
    said = [" ".join(token.low for token in following[:end]) for end in (1, 2, 3)]
    return _is_somebody(low) or any(book.noun(one, "person") is not None for one in said)


def _singular(word: str) -> str:
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _of_another(found: Sequence[Token], at: int) -> list[tuple[Path, int]]:
    """ "The name of my sister"."""
    of = next((i for i in range(at + 1, min(at + 6, len(found))) if found[i].low == "of"), None)
    if of is None or of == at + 1:
        return []
    nouns = found[at + 1 : of]
    if not all(_in_noun(token, []) for token in nouns):
        return []
    noun = canonical([token.low for token in nouns])
    return [((*path, noun), end) for path, end in subjects(found, of + 1)]


def _bare_thing(found: Sequence[Token], at: int) -> list[tuple[Path, int]]:
    """ "The keys", "the train to Rome"."""
    read: list[tuple[Path, int]] = []
    start = at
    while at < len(found) and at - start < MOST_WORDS and _in_noun(found[at], []):
        at += 1
        read.append(((" ".join(token.low for token in found[start:at]),), at))
    return [*_with_purpose(found, at, read[-1][0]), *read] if read else []


def _with_purpose(found: Sequence[Token], at: int, path: Path) -> list[tuple[Path, int]]:
    """ "The key to the safe", where its noun ends at an index."""
    if at + 2 >= len(found) or found[at].low not in {"to", "for"}:
        return []
    if found[at + 1].low not in DETERMINERS | OWNERS.keys():
        return []
    end = at + 2
    noun: list[str] = []
    while end < len(found) and len(noun) < MOST_WORDS and _in_noun(found[end], []):
        noun.append(found[end].low)
        end += 1
    return [((*path[:-1], " ".join((path[-1], found[at].low, *noun))), end)] if noun else []


def _named(found: Sequence[Token], at: int) -> list[tuple[Path, int]]:
    end = at
    while end < len(found) and end - at < 3 and _is_name(found[end]):
        end += 1
    if end == at:
        # Speech-to-text may write a name in small letters.
        low = found[at].low
        if not low.isalpha() or low in NOT_NAMES or len(low) < 2 or lemma(low) is not None:
            return []
        end = at + 1
    path = (" ".join(token.low for token in found[at:end]),)
    if end + 1 < len(found) and found[end].low in {"'s", "'"}:
        owned = _owned(found, end + 1, path)
        if owned:
            return owned
    return [(path, end)]


def _is_name(token: Token) -> bool:
    return token.is_name and token.low not in NEVER_IN_NOUN and token.text[0].isalpha()


def _in_noun(token: Token, noun: Sequence[Token]) -> bool:
    low = token.low
    if not token.text[0].isalnum() or (low in NEVER_IN_NOUN and not (low == "old" and not noun)):
        return False
    if noun and _is_somebody(noun[-1].low):
        # "My dentist appointment", but "my sister vegetarian" is two things.
        return not low.endswith(("ed", "ing")) or low in NOUNS_IN_ING
    return True


def _in_noun_at_end(token: Token) -> bool:
    low = token.low
    return low in NOUNS_IN_ING or not (low.endswith("ing") and len(low) > 4)


def _is_somebody(word: str) -> bool:
    book = relation_book()
    return any(form in book.kin or form in book.pets for form in (word, _singular(word)))


def canonical(words: Sequence[str]) -> str:
    """A noun as paths have it: "mum" is "mother", "big sister" is "older sister"."""
    kept = [word for word in words if word not in UNSAID] or list(words)
    return relation_book().tidy(("user", " ".join(kept)))[-1]


def former(noun: str) -> tuple[str, bool]:
    """A noun without "old" and the like, and whether it had them."""
    first, _, rest = noun.partition(" ")
    if rest and re.sub(r"-$", "", first) in FORMER:
        return rest, True
    return noun, False
