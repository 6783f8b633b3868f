"""Where this reproduction departs from the paper or decides what it leaves open, each with the reason.

Statements about the protocol only; what came out of it is computed in `findings`.
"""

from __future__ import annotations

from dataclasses import dataclass

from adtm.paper.studies import paper


@dataclass(frozen=True)
class Difference:
    """One choice: its subject, what is done here, and why."""

    subject: str
    here: str
    why: str


_LIVER = paper.SETTINGS["liver_disorders"].n_clauses

DIFFERENCES = (
    Difference(
        "Split and thresholds",
        "Each repeat splits the data 80/20, stratified by class, and then takes the thresholds of the Boolean features "
        "from the training part alone.",
        "The paper does not say; the authors' program takes thresholds from all data before it splits, so its features "
        "have seen the test part.",
    ),
    Difference(
        "Thresholds of a feature",
        "One bit x ≤ t for every distinct training value t, the largest included. Booleanizer by itself leaves the "
        "largest out.",
        "The paper's scheme takes all unique values. The bit of the largest is true for every training row, but a "
        "clause that includes its negation falls silent; the sensitivity study shows the scores without it.",
    ),
    Difference(
        "Positive class",
        "F1 is that of class 1: non-bankruptcy, tip to the right, recurrence, three drinks or more, heart disease.",
        "The paper does not say which class it takes.",
    ),
    Difference(
        "Repeats and intervals",
        "Each score is a mean over repeats with a 95 % t-interval. Repeat r uses seed r, and all machines of a repeat "
        "share its split.",
        "The paper prints means without a spread and does not say over how many runs.",
    ),
    Difference(
        "Which epoch counts",
        "Scores are those after the last epoch.",
        "The best epoch on the test part would be chosen by looking at it.",
    ),
    Difference(
        "Long jumps at the end of the states",
        "A jump of s that would pass the last state ends there.",
        "The paper draws no rule; the authors' program refuses such a jump altogether.",
    ),
    Difference(
        "Whose transitions d counts",
        "Each clause counts its updates, and its automata take their turns at the coin, evenly spread: one update in d "
        "is stochastic, and no random number is spent on deciding which.",
        "The paper does not say. The authors' program has one counter for the whole machine, set to a random point for "
        "every sample; the sensitivity study runs that program with all its traits.",
    ),
    Difference(
        "Direction of the vote",
        "Positive clauses vote for class 1: the answer is 1 when the vote is at least 0.",
        "The paper's equation and feedback rules say so; one sentence of it says the opposite.",
    ),
    Difference(
        "Silence",
        "Every machine here answers a vote of 0 with class 1, and a tie of several classes with the first of them. The "
        "library by itself answers with the class more frequent in the training data; the table of silence shows the "
        "accuracy of both.",
        "The paper's equation says so, and its numbers are to be met.",
    ),
    Difference(
        "Empty clauses",
        "A clause without literals gives 1 while learning and 0 while predicting, as the paper says.",
        "The authors' program gives 1 in both.",
    ),
    Difference(
        "The standard machine",
        "The same m, T, s and N as the ADTM, with boost of true positives.",
        "The paper gives one set of parameters for both and says nothing of the boost.",
    ),
    Difference(
        "The column d = ∞",
        "Added here. No automaton ever tosses a coin; selection of clauses, start states and the order of samples "
        "remain random, and the ledger counts them.",
        "The paper discusses d = ∞ for its power figures but prints no scores for it.",
    ),
    Difference(
        "Clauses on Liver Disorders",
        f"“10 clauses per class” is read as m = {_LIVER}: half of a bank's clauses stand for each class.",
        "The other data sets name m outright.",
    ),
    Difference(
        "Other learners",
        "Library defaults with a seed, on the same splits; networks have the paper's layers. Slow ones run on fewer "
        "repeats unless all are asked for; the tables say how many.",
        "The paper names the layer sizes and no other setting.",
    ),
    Difference(
        "Power",
        "Computed from the paper's own percentages as a model of d, not measured; beside it the random numbers that "
        "the ledger counted.",
        "The paper's chip is not available, and its figures hold for one design at one operating point.",
    ),
)
