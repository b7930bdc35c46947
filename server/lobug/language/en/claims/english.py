"""The reader of claims in English, behind the contract of all languages."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

from lobug.language.claims import (
    STATEMENT,
    USER,
    Asked,
    Claim,
    ClaimReader,
    Heard,
    Path,
    RelationRules,
)
from lobug.language.en.claims import (
    answers,
    case_restoration,
    facts,
    free_questions,
    question_phrases,
    questions,
    reader,
    recitation,
    sentence_forms,
    statement_comparison,
    topics,
    untold,
    values,
)
from lobug.language.en.claims.relation_book import relation_book
from lobug.language.en.claims.wording import wording_book
from lobug.language.en.data import word_map, word_set

LONGEST = 1_500
"""Characters of a text that are read: a quarter of an hour of typing, two minutes of talk."""
LONGEST_QUESTION = 300

ASKING = frozenset({"what", "who", "whom", "where", "when", "which", "why", "how"})
NOBODY: frozenset[str] = frozenset()
ONE_MORE = word_set("kin", "one_more")
SINGULAR = word_map("kin", "singular")
FEMALE = word_set("kin", "female")
MALE = word_set("kin", "male")
GROUPS = {noun: frozenset(names.split()) for noun, names in word_map("kin", "groups").items()}


def bounded(text: str) -> str:
    """The beginning of a text with single spaces, cut after a sentence or a word. What follows is
    left to the chat model: rules look at each word several times."""
    spaced = " ".join(text.split())
    if len(spaced) <= LONGEST:
        return spaced
    cut = spaced[:LONGEST]
    end = max(cut.rfind(mark) + 1 for mark in (". ", "! ", "? "))
    return cut[: end if end > 0 else cut.rfind(" ") if " " in cut else LONGEST]


class EnglishClaims:
    """Reads and words claims; see ``ClaimReader``."""

    @staticmethod
    def load() -> None:
        """Compile the patterns of all relations, for reading and for wording."""
        wording_book()

    @staticmethod
    def read(text: str) -> Heard:
        """What the rules read in the beginning of a text; of a question that was taken for a
        statement nothing."""
        beginning = bounded(text)
        heard = reader.read(beginning)
        said = tuple(claim for claim in heard.claims if claim.value.lower() not in ASKING)
        rest = " ".join(text.split())[len(beginning) :]
        unread = (*heard.unread, rest) if rest else heard.unread
        over = statement_comparison.over(heard.unread, [claim.text for claim in said])
        return replace(heard, claims=said, unread=unread, over=over)

    @staticmethod
    def read_fact(sentence: str) -> tuple[Claim, ...]:
        """The claims of a stored sentence; none of one that is too long for a fact."""
        return reader.read_fact(sentence) if len(sentence) <= LONGEST else ()

    @staticmethod
    def read_question(text: str) -> Asked | None:
        """What a text asks; a longer one tells a story."""
        if len(text) > LONGEST_QUESTION:
            return None
        return questions.read_question(case_restoration.restore_apostrophes(bounded(text)))

    @staticmethod
    def read_topic(text: str) -> Asked | None:
        """What a topic names."""
        return topics.read_topic(bounded(text)) if len(text) <= LONGEST_QUESTION else None

    @staticmethod
    def rules(relation: str) -> RelationRules | None:
        """What code must know of a relation; None: there is none of this id."""
        return relation_book().rules(relation)

    same_value = staticmethod(values.same_value)
    fact = staticmethod(facts.fact)
    answer = staticmethod(answers.answer)
    recite = staticmethod(recitation.recite)

    same_sort = staticmethod(values.same_sort)
    listed = staticmethod(sentence_forms.listed)

    recounts = staticmethod(values.recounts)

    @staticmethod
    def overtaking(later: Claim) -> Callable[[str], bool]:
        """A test of whether a claim says that a sentence is no longer so."""
        said = later.value if later.relation == STATEMENT else later.text
        return statement_comparison.overtaking(said, corrects=later.corrects)

    @staticmethod
    def asked_words(question: str) -> Sequence[str]:
        """The words that an answer must have."""
        return free_questions.asked_words(question) if len(question) <= LONGEST_QUESTION else ()

    @staticmethod
    def answering(question: str) -> Callable[[str], bool]:
        """A test of whether a free statement tells what a question asks."""
        if len(question) > LONGEST_QUESTION:
            return lambda _: False
        return free_questions.answering(question)

    @staticmethod
    def unknown(question: str, names: Collection[str] = ()) -> str:
        """What to say where only the user could have told the answer."""
        if len(question) > LONGEST_QUESTION:
            return ""
        return untold.unknown(question, names)

    @staticmethod
    def named(question: str) -> tuple[str, bool]:
        """The name of whom a question is about, and whether people have it."""
        return untold.named(question) if len(question) <= LONGEST_QUESTION else ("", False)

    @staticmethod
    def may_tell(question: str, sentence: str) -> bool:
        """Whether a sentence may answer a question in a way that the rules cannot read."""
        return len(question) <= LONGEST_QUESTION and untold.may_tell(question, sentence)

    @staticmethod
    def lacks(question: str, sentence: str) -> bool:
        """Whether a sentence has no time or number, where a question asks for one."""
        return len(question) <= LONGEST_QUESTION and untold.lacks(question, sentence)

    @staticmethod
    def former(noun: str) -> str | None:
        """The noun of "old boss"."""
        rest, was = question_phrases.former(noun)
        return rest if was else None

    @staticmethod
    def members(noun: str) -> frozenset[str]:
        """Whom a noun of several stands for."""
        if noun in {"pets", "animals"}:
            return frozenset(relation_book().pets)
        return GROUPS.get(noun, NOBODY)

    @staticmethod
    def without(claim: Claim, relation: str) -> Claim | None:
        """A full name without the surname."""
        first, _, last = claim.value.rpartition(" ")
        if relation != "surname" or claim.relation != "name" or not first or not last:
            return None
        return replace(claim, value=first)

    @staticmethod
    def telling(topic: str) -> Callable[[str], bool]:
        """A test of whether a sentence tells what a topic names."""
        if len(topic) > LONGEST_QUESTION:
            return lambda _: False
        return free_questions.telling(topic)

    @staticmethod
    def put_right(value: str, wrong: str | None, right: str) -> str | None:
        """The value that is right."""
        return values.put_right(value, wrong, right)

    @staticmethod
    def one_more(value: str) -> str | None:
        """The noun of "second rabbit", "another cat"; None: it is not one more."""
        words = value.lower().split()
        return words[-1] if len(words) > 1 and words[0] in ONE_MORE else None

    @staticmethod
    def one_of(noun: str) -> str:
        """A noun in the singular, of a breed that of its kind."""
        one = SINGULAR.get(noun) or noun
        if one == noun and noun.endswith("s") and not noun.endswith("ss"):
            one = noun[:-1]
        return relation_book().breeds.get(one, one)

    @staticmethod
    def one_less(value: str) -> str | None:
        """ "Two cats" of "three cats"."""
        return values.one_less(value)

    @staticmethod
    def refers(pronoun: str, subject: Path) -> bool:
        """Whether a pronoun can stand for a subject."""
        if subject == USER:
            return False
        last = subject[-1].split(":")[0]  # "rabbit" of the second rabbit
        noun, kind = last.split()[-1], relation_book().kind_of((*subject[:-1], last))
        if pronoun in {"he", "she"} and kind == "thing":
            return False
        if pronoun == "she":
            return noun not in MALE
        if pronoun == "he":
            return noun not in FEMALE
        if pronoun == "it":
            return noun not in MALE | FEMALE and kind != "person"
        return True


CLAIMS: ClaimReader = EnglishClaims()
