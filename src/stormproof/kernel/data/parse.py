"""Expressions, parsed: tokens to what stands where."""

from __future__ import annotations

from .syntax import Apply, DataMistake, Expression, Literal, Name, Quantified
from .tokens import GoalToken, TokenSource

#: What binds names over a set.
QUANTIFIERS = ("some", "all", "two", "count")
#: The words that an expression may not have as names.
RESERVED = frozenset(
    (
        *("if", "then", "else", "and", "or", "not", "in", "mod", "div", "true", "false", "none"),
        *(*QUANTIFIERS, "min", "max", "size", "number"),
    )
)
FUNCTIONS = {"min": (2, None), "max": (2, None), "size": (1, 1), "number": (1, 1)}
_MOST_DIGITS = 9
_DEEPEST = 50
#: Operators one behind the other are nested, too, and everything that reads an expression recurs into it.
_MOST_OPERATORS = 300
_OTHERWISE = {
    "==": "=",
    "&&": "and",
    "||": "or",
    "%": "mod",
    "/": "div",
    "<>": "!=",
    "**": None,
}


class ExpressionParser:
    """Reads one expression and no more tokens than belong to it."""

    def __init__(self, tokens: TokenSource) -> None:
        self.tokens = tokens
        self.depth = 0
        self.operators = 0
        self.end = 0

    # ---- tokens ----

    def peek(self, ahead: int = 0) -> GoalToken | None:
        return self.tokens.peek(ahead)

    def is_sign(self, *signs: str, ahead: int = 0) -> bool:
        token = self.peek(ahead)
        return token is not None and token.sign and token.text in signs

    def is_word(self, *words: str, ahead: int = 0) -> bool:
        token = self.peek(ahead)
        return token is not None and not token.sign and not token.quoted and token.text in words

    def take(self) -> GoalToken:
        token = self.peek()
        assert token is not None
        self.tokens.take()
        self.end = token.end
        return token

    def took(self, *signs: str) -> GoalToken | None:
        return self.take() if self.is_sign(*signs) else None

    def took_word(self, *words: str) -> GoalToken | None:
        return self.take() if self.is_word(*words) else None

    def expect(self, sign: str, where: str) -> GoalToken:
        return self.took(sign) or self.fail(f"'{sign}' {where}")

    def fail(self, expected: str, hint: str | None = None) -> GoalToken:
        token = self.peek()
        found = "the end" if token is None else f"'{token.text}'"
        if hint is None and token is not None and token.sign:
            hint = self._otherwise(token)
        raise self.tokens.error(f"expected {expected}, found {found}", token, hint)

    def _otherwise(self, token: GoalToken) -> str | None:
        """How an operator of another language is written here."""
        behind = self.peek(1)
        both = token.text + (behind.text if behind is not None and behind.sign else "")
        for spelt in (both, token.text):
            if _OTHERWISE.get(spelt):
                return f"'{spelt}' is written '{_OTHERWISE[spelt]}'"
        return None

    def name(self, what: str) -> Name:
        token = self.peek()
        if token is None or token.sign or (token.text in RESERVED and not token.quoted):
            hint = f"'{token.text}' is a word of the language" if token and not token.sign else None
            self.fail(what, hint)
        assert token is not None
        self.take()
        return Name(token.text, token.start, token.end)

    def _operator(self) -> tuple[str, int]:
        """The comparison that comes next, and how many tokens it has; none is empty."""
        token, behind = self.peek(), self.peek(1)
        if token is None:
            return "", 0
        if token.sign and behind is not None and behind.sign and behind.start == token.end:
            both = token.text + behind.text
            if both in ("!=", "<=", ">="):
                return both, 2
        if token.sign and token.text in ("=", "<", ">"):
            return token.text, 1
        if self.is_word("in"):
            return "in", 1
        return ("not in", 2) if self.is_word("not") and self.is_word("in", ahead=1) else ("", 0)

    # ---- expressions ----

    def parse(self) -> Expression:
        """The expression that the next tokens are."""
        start = self.peek()
        self.depth += 1
        if self.depth > _DEEPEST:
            raise self.tokens.error(f"this is nested more than {_DEEPEST} deep", start)
        found = self._choice() if self.is_word("if") else self.disjunction()
        self.depth -= 1
        return found

    def _choice(self) -> Expression:
        start = self.take().start
        condition = self.parse()
        if not self.took_word("then"):
            self.fail("'then'", "write: if C then E else F")
        yes = self.parse()
        if not self.took_word("else"):
            self.fail("'else'", "write: if C then E else F")
        return Apply("if", (condition, yes, self.parse()), start, self.end)

    def disjunction(self) -> Expression:
        found = self.conjunction()
        while self.took_or():
            found = self._both("or", found, self.conjunction())
        return found

    def conjunction(self) -> Expression:
        found = self.negation()
        while self.took_and():
            found = self._both("and", found, self.negation())
        return found

    def took_or(self) -> bool:
        return self.took_word("or") is not None

    def took_and(self) -> bool:
        return self.took_word("and") is not None

    def took_not(self) -> GoalToken | None:
        return self.took_word("not")

    def _both(self, operator: str, one: Expression, other: Expression) -> Expression:
        self._count(other)
        return Apply(operator, (one, other), one.start, other.end)

    def _count(self, part: Expression) -> None:
        self.operators += 1
        if self.operators > _MOST_OPERATORS:
            hint = "write a part of it as a constant, or use some, all or count"
            raise DataMistake(
                f"an expression has at most {_MOST_OPERATORS} operators", part.start, part.end, hint
            )

    def negation(self) -> Expression:
        sign = self.took_not()
        if sign is None:
            return self.comparison()
        self.depth += 1
        if self.depth > _DEEPEST:
            raise self.tokens.error(f"this is nested more than {_DEEPEST} deep", sign)
        part = self.negation()
        self.depth -= 1
        return Apply("not", (part,), sign.start, part.end)

    def comparison(self) -> Expression:
        found = self.sum()
        operator, width = self._operator()
        if operator:
            for _ in range(width):
                self.take()
            if operator == "=" and self.is_sign("="):
                self.fail("an expression", "'==' is written '='")
            found = self._both(operator, found, self.sum())
        return found

    def sum(self) -> Expression:
        found = self.product()
        while self.is_sign("+", "-") and not self.is_sign(">", ahead=1):
            operator = self.take().text
            found = self._both(operator, found, self.product())
        return found

    def product(self) -> Expression:
        found = self.unary()
        while (sign := self.took("*") or self.took_word("mod", "div")) is not None:
            found = self._both(sign.text, found, self.unary())
        return found

    def unary(self) -> Expression:
        sign = self.took("-")
        if sign is None:
            return self.indexed()
        part = self.indexed()
        return Apply("-", (part,), sign.start, part.end)

    def indexed(self) -> Expression:
        found = self.primary()
        while self.is_sign("["):
            self.take()
            index = self.parse()
            self.expect("]", "behind the index")
            self._count(index)
            found = Apply("[]", (found, index), found.start, self.end)
        return found

    def primary(self) -> Expression:
        token = self.peek()
        if token is None:
            self.fail("an expression")
        assert token is not None
        if token.sign:
            return self._bracket(token)
        if token.quoted:
            return self.name("a name")
        if token.text.isascii() and token.text.isdigit():
            return self._number()
        if token.text in ("true", "false", "none"):
            self.take()
            value = {"true": True, "false": False, "none": None}[token.text]
            return Literal(value, token.start, token.end)
        if token.text in FUNCTIONS:
            return self._call(self.take())
        if token.text in QUANTIFIERS:
            return self.quantified(self.take())
        return self.name("an expression")

    def _number(self) -> Expression:
        token = self.take()
        if len(token.text) > _MOST_DIGITS:
            raise self.tokens.error(f"a number has at most {_MOST_DIGITS} digits", token)
        return Literal(int(token.text), token.start, token.end)

    def _bracket(self, token: GoalToken) -> Expression:
        kinds = {"(": (")", "tuple"), "{": ("}", "set"), "[": ("]", "list")}
        if token.text not in kinds:
            self.fail("an expression")
        closing, kind = kinds[token.text]
        self.take()
        parts: list[Expression] = []
        while not self.is_sign(closing):
            if parts:
                self.expect(",", f"or '{closing}'")
            parts.append(self.parse())
        self.take()
        if kind == "tuple" and len(parts) == 1:
            return parts[0]
        if kind == "tuple" and not parts:
            raise self.tokens.error("there is nothing in these parentheses", token)
        return Apply(kind, tuple(parts), token.start, self.end)

    def _call(self, function: GoalToken) -> Expression:
        self.expect("(", f"behind {function.text}")
        parts = [self.parse()]
        while self.took(","):
            parts.append(self.parse())
        self.expect(")", f"to close what {function.text} is of")
        least, most = FUNCTIONS[function.text]
        if len(parts) < least or (most is not None and len(parts) > most):
            wanted = "one value" if most == 1 else "two values or more"
            raise DataMistake(f"{function.text} is of {wanted}", function.start, self.end)
        return Apply(function.text, tuple(parts), function.start, self.end)

    def quantified(self, kind: GoalToken) -> Expression:
        """`some x in S: E`; a `count` has parentheses around it, since a comparison follows."""
        opened = kind.text == "count" and self.expect("(", "behind count")
        names = [self.name("a name")]
        while self.took(","):
            names.append(self.name("a name"))
        over = self.sum() if self.took_word("in") else self.no_set(kind)
        self.expect(":", "before the condition")
        body = self.parse()
        if opened:
            self.expect(")", "to close the count")
        return Quantified(kind.text, tuple(names), over, body, kind.start, self.end)

    def no_set(self, kind: GoalToken) -> Expression | None:
        self.fail("'in'", f"write: {kind.text} x in S: ...")
        return None
