"""The reader of claims in English, behind the contract of all languages."""

from __future__ import annotations

from dataclasses import replace

from lobug.language.claims import USER, ClaimReader, Heard, Path
from lobug.language.en.claims import answers, facts, questions, reader, recitation, topics, values
from lobug.language.en.data import word_set

ASKING = frozenset({"what", "who", "whom", "where", "when", "which", "why", "how"})
FEMALE = word_set("kin", "female")
MALE = word_set("kin", "male")


class EnglishClaims:
    """Reads and words claims; see ``ClaimReader``."""

    @staticmethod
    def read(text: str) -> Heard:
        """What the rules read; of a question that was taken for a statement nothing."""
        heard = reader.read(text)
        said = tuple(claim for claim in heard.claims if claim.value.lower() not in ASKING)
        return heard if len(said) == len(heard.claims) else replace(heard, claims=said)

    read_fact = staticmethod(reader.read_fact)
    read_question = staticmethod(questions.read_question)
    read_topic = staticmethod(topics.read_topic)
    rules = staticmethod(reader.rules)
    same_value = staticmethod(values.same_value)
    fact = staticmethod(facts.fact)
    answer = staticmethod(answers.answer)
    recite = staticmethod(recitation.recite)

    @staticmethod
    def refers(pronoun: str, subject: Path) -> bool:
        """Whether a pronoun can stand for a subject."""
        if subject == USER:
            return False
        noun = subject[-1].split(":")[0].split()[-1]
        if pronoun == "she":
            return noun not in MALE
        if pronoun == "he":
            return noun not in FEMALE
        if pronoun == "it":
            return noun not in MALE | FEMALE
        return True


CLAIMS: ClaimReader = EnglishClaims()
