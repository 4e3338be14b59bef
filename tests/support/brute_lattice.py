"""Every node of a lattice, judged by the definitions: plain loops over records, nothing shared with the package."""

from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict
from typing import Any, NamedTuple

Record = tuple[str | None, ...]


class Node(NamedTuple):
    levels: tuple[int, ...]
    lost: int
    loss: float
    risk: float


class Brute:
    """A file: keys of each record, the sensitive value (None where it has none), the rows of each hierarchy."""

    def __init__(self, keys: list[Record], sensitive: list[str | None], trees: list[list[tuple[str, ...]]]) -> None:
        self.keys, self.sensitive, self.trees = keys, sensitive, trees
        self.path = [{row[0]: row for row in tree} for tree in trees]
        self.n = len(keys)
        self.whole = Counter(value for value in sensitive if value is not None)

    def nodes(self) -> itertools.product[tuple[int, ...]]:
        return itertools.product(*(range(len(tree[0])) for tree in self.trees))

    def code(self, j: int, value: str | None, level: int) -> Any:
        row = self.path[j].get(value) if value is not None else None
        return ("missing", value) if row is None else row[level]

    def leaves(self, j: int, code: Any, level: int) -> int:
        return 1 if isinstance(code, tuple) else sum(row[level] == code for row in self.trees[j])

    def groups(self, levels: tuple[int, ...]) -> dict[Any, list[int]]:
        found = defaultdict(list)
        order = sorted(range(self.n), key=lambda i: [(v is None, str(v)) for v in self.keys[i]])
        for i in order:
            found[
                tuple(self.code(j, v, level) for j, (v, level) in enumerate(zip(self.keys[i], levels, strict=True)))
            ].append(i)
        return found

    def judged(self, levels: tuple[int, ...], k: int, models: list[dict[str, Any]], loss: dict[str, Any]) -> Node:
        """The node: groups that fail k or a model of groups are lost, then the smallest until the sample complies."""
        groups = self.groups(levels)
        least = max([k, *(self.mapped(m) for m in models if m["model"] == "k_map")])
        kept = {key for key, rows in groups.items() if len(rows) >= least and self.sound(rows, models)}
        sample = [m for m in models if m["model"] in ("average_risk", "sample_uniqueness")]
        if sample and len(groups) > 1:
            order = list(groups)
            smallest = sorted(kept, key=lambda key: (len(groups[key]), -self.generality(key, levels), order.index(key)))
            while not all(self.complies([len(groups[key]) for key in smallest], m) for m in sample):
                smallest = smallest[1:]
            kept = set(smallest)
        lost = sum(len(rows) for key, rows in groups.items() if key not in kept)
        smallest_kept = min((len(groups[key]) for key in kept), default=0)
        risk = 1 / smallest_kept if smallest_kept else 0.0
        return Node(levels, lost, self.loss(levels, groups, kept, **loss), risk)

    def generality(self, key: Any, levels: tuple[int, ...]) -> int:
        spread = 0.0
        for j, (code, level) in enumerate(zip(key, levels, strict=True)):
            spread += math.log1p((self.leaves(j, code, level) - 1) / max(len(self.trees[j]) - 1, 1))
        return round(spread * 1e9)

    # -- models ------------------------------------------------------------------------------------

    def sound(self, rows: list[int], models: list[dict[str, Any]]) -> bool:
        seen = Counter(self.sensitive[i] for i in rows if self.sensitive[i] is not None)
        return not seen or all(self.fulfils(seen, m) for m in models if "sensitive" in m)

    def fulfils(self, seen: Counter, m: dict[str, Any]) -> bool:
        n, total = sum(seen.values()), sum(self.whole.values())
        q = {value: seen[value] / n for value in self.whole}
        p = {value: count / total for value, count in self.whole.items()}
        down = sorted(seen.values(), reverse=True)
        if m["model"] == "l_diversity":
            if m["kind"] == "distinct":
                return len(seen) >= m["l"]
            if m["kind"] == "entropy":
                return -sum(x * math.log(x) for x in q.values() if x) >= math.log(m["l"]) - 1e-10
            return len(down) >= m["l"] and down[0] < m["c"] * sum(down[m["l"] - 1 :])
        if m["model"] == "alpha_k":
            return max(q.values()) <= m["alpha"] + 1e-9
        if m["model"] == "delta_disclosure":
            return all(abs(math.log2(q[v] / p[v])) < m["delta"] - 1e-9 for v in seen)
        if m["model"] == "beta_likeness":
            most = [min(m["beta"], -math.log(p[v])) if m["kind"] == "enhanced" else m["beta"] for v in seen]
            return all(q[v] / p[v] - 1 <= limit + 1e-9 for v, limit in zip(seen, most, strict=True))
        assert m["model"] == "t_closeness"
        if m["distance"] == "equal":
            return sum(abs(q[v] - p[v]) for v in p) / 2 <= m["t"] + 1e-9
        if m["distance"] == "ordered":
            order = sorted(p)
            work = sum(abs(sum(q[v] - p[v] for v in order[: i + 1])) for i in range(len(order)))
            return work / max(1, len(order) - 1) <= m["t"] + 1e-9
        return self.moved(q, p, m["hierarchy"]) <= m["t"] + 1e-9

    @staticmethod
    def moved(q: dict[str, float], p: dict[str, float], tree: list[tuple[str, ...]]) -> float:
        """The work to move q to p where a step costs the level of the lowest common ancestor, over the height.

        By flows up the tree: what a branch has too much must leave it, and pays half a level up and half down.
        """
        path = {row[0]: row for row in tree}
        height = len(tree[0]) - 1
        work = 0.0
        for level in range(height):
            excess: dict[str, float] = defaultdict(float)
            for value in p:
                excess[path[value][level]] += q[value] - p[value]
            work += sum(map(abs, excess.values())) / 2
        return work / height

    def mapped(self, m: dict[str, Any]) -> int:
        rate = m["k"] * self.n / m["population"]
        reached = 0.0
        for terms in range(1, m["k"] + 1):
            reached += math.exp(-rate) * rate ** (terms - 1) / math.factorial(terms - 1)
            if reached >= 1 - m["alpha"]:
                return min(m["k"], terms + 1)
        return m["k"]

    @staticmethod
    def complies(sizes: list[int], m: dict[str, Any]) -> bool:
        records = sum(sizes)
        if m["model"] == "sample_uniqueness":
            return sizes.count(1) <= m["share"] * records + 1e-9
        return len(sizes) <= m["risk"] * records + 1e-9

    # -- losses ------------------------------------------------------------------------------------

    def loss(self, levels, groups, kept, name, factor, weights, aggregate) -> float:
        g = 1.0 if factor <= 0.5 else 1 - 2 * (factor - 0.5)
        s = 2 * factor if factor < 0.5 else 1.0
        lost = [i for key, rows in groups.items() if key not in kept for i in rows]
        if name == "height":
            return float(sum(levels))
        if name == "discernibility":
            return float(sum(len(groups[key]) ** 2 for key in kept) + self.n * len(lost))
        if name == "average_class_size":
            return self.n / (s * len(kept) + g * bool(lost)) if kept else float(self.n)
        of_key = [self.of_key(j, levels[j], set(lost), name, g, s) for j in range(len(levels))]
        weighted = [
            w / max(weights) * math.floor(max(d, 0) * 1e10) / 1e10 for w, d in zip(weights, of_key, strict=False)
        ]
        default = {"loss": "geometric_mean", "precision": "arithmetic_mean"}.get(name, "sum")
        joined = {
            "geometric_mean": math.prod((1 + d) ** (1 / len(weighted)) for d in weighted) - 1,
            "arithmetic_mean": sum(weighted) / len(weighted),
            "sum": sum(weighted),
            "maximum": max(weighted),
        }
        return joined[aggregate or default]

    def of_key(self, j: int, level: int, lost: set[int], name: str, g: float, s: float) -> float:
        codes = [self.code(j, record[j], level) for record in self.keys]
        if name == "precision":
            height = len(self.trees[j][0]) - 1
            share = len(lost) / self.n
            return (1 - share) * level / height * g + share * s
        if name == "loss":
            m = len(self.trees[j])
            total = 0.0
            for i, code in enumerate(codes):
                share = self.leaves(j, code, level) / m
                if i not in lost:
                    total += share * g
                else:
                    total += 1 if s == 1 else share + s * (1 - share)
            least = self.n * g / m
            return (total - least) / (self.n - least) if self.n > least else 0.0
        base = Counter(record[j] for record in self.keys)
        above = Counter(codes)
        bits = -sum(math.log2(base[record[j]] / above[code]) for record, code in zip(self.keys, codes, strict=True)) * g
        gone = Counter(codes[i] for i in lost)
        bits += -sum(c * math.log2(c / len(lost)) for c in gone.values()) * s
        if name == "normalised_entropy":
            most = -sum(math.log2(base[record[j]] / self.n) for record in self.keys)
            return bits / (most or 1.0)
        return bits
