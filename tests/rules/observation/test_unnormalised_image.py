from __future__ import annotations

import numpy as np

from tests.worlds import box, changed, held, play, world
from weaklink.base.evidence.spaces import Space
from weaklink.base.finding import CannotTell, Finding, Level
from weaklink.judge.rules.observation.unnormalised_image import unnormalised_image


def image(shape=(20, 20, 3), dtype="uint8", high=255.0, low=0.0):
    size = int(np.prod(shape))
    return Space(kind="box", shape=shape, dtype=dtype, low=np.full(size, low), high=np.full(size, high))


def pictures(space, low=0.0, high=255.0, whole=True, steps=150, columns=None):
    rng = np.random.default_rng(0)
    rows = rng.uniform(low, high, (steps, columns or space.size))
    rows[0, :2] = low, high
    rows = np.round(rows) if whole else rows
    made = play("random", length=50, episodes=3, observations=rows, successors=rows, columns=rows.shape[1])
    return changed(world(), observation=space, plays={"random": made})


def grid(rows):
    made = play("random", length=50, episodes=3, observations=rows, successors=rows, columns=rows.shape[1])
    return changed(world(), observation=image((12, 12, 2), "float32", high=1.0), plays={"random": made})


def hunt(cat=1.0, mouse=0.0, known=True):
    """A cat and a mouse on a board of twelve by twelve fields, in a picture of bytes: what each is drawn with."""
    space = image((12, 12, 1))

    def hop(rng, step, before):
        return rng.integers(0, 12, 2)

    def draw(now, before, ended):
        picture = np.zeros((12, 12, 1))
        for name, grey in (("mouse", mouse), ("cat", cat)):
            picture[tuple(now[name].astype(int))] = grey
        return picture.ravel()

    seen = held({"cat": hop, "mouse": hop}, draw)
    made = play("random", length=15, episodes=12, observations=seen.observations, successors=seen.successors)
    return changed(world(), observation=space, plays={"random": made}, held=seen if known else None)


def sick():
    middle = image((20, 3, 20))
    beside = Space(kind="dict", parts={"speed": box(2), "camera": image(dtype="float32")})
    wide = image((96, 96, 3), "float32")
    return [
        pictures(image(dtype="float32")),
        pictures(image(dtype="float32", high=np.inf)),
        pictures(image(dtype="float32"), whole=False),
        pictures(image(), high=1.0),
        pictures(image(high=1.0, dtype="float32"), whole=False),
        pictures(image(high=1.0, dtype="float32"), high=1 / 255.0, whole=False),
        pictures(middle),
        grid(np.round(np.random.default_rng(0).uniform(0, 255, (150, 288))) / 255**2),
        hunt(),
        pictures(image((16, 40, 16))),
        pictures(beside),
        changed(pictures(wide, columns=200), seen_columns=tuple(range(0, 27_600, 138))),
    ]


def healthy():
    return [
        world(),
        pictures(image()),
        pictures(image((4, 84, 84))),  # frames stacked in front
        pictures(image((20, 20))),
        # edges as short as a stack of frames: the shortest axis has the channels, as in Stable-Baselines3
        pictures(image((16, 16, 1))),
        pictures(image((3, 12, 12))),
        pictures(image(dtype="float32", high=1.0), high=1.0, whole=False),
        pictures(image(dtype="float32", high=1.0, low=-1.0), low=-1.0, high=1.0, whole=False),
        # distances in metres
        pictures(image((20, 20), "float32", high=np.inf), high=80.0, whole=False),
        # a board of flags that is declared as such
        pictures(image(high=1.0), high=1.0),
        # classes of a segmentation
        pictures(image((20, 20)), high=20.0),
        # a grid of codes is no image
        pictures(image((7, 7, 3)), high=1.0),
        # a small picture that was divided once, and small numbers that are no bytes: chances, or a vector of them
        grid(np.round(np.random.default_rng(0).uniform(0, 255, (150, 288))) / 255),
        grid(np.random.default_rng(0).uniform(0, 1 / 255, (150, 288))),
        grid(np.zeros((150, 288))),
        # all that has a place is drawn, bright or dark, and a board of which nothing else is known
        hunt(mouse=1.0),
        hunt(cat=255.0, mouse=85.0),
        hunt(known=False),
        # a black screen is OBS101's
        pictures(image(), high=0.0),
        # an image that was kept in part
        changed(pictures(image((96, 96, 3)), columns=200), seen_columns=tuple(range(0, 27_600, 138))),
    ]


def test_raw_floating_point_pixels():
    answer = unnormalised_image.rule.ask(pictures(image(dtype="float32")))
    assert answer.severity is Level.WARN
    assert answer.message == "The image observation is stored as float32 and goes up to 255: nothing divides it by 255."


def test_pixels_divided_before():
    assert (
        "never exceeds 1: it was already divided by 255"
        in unnormalised_image.rule.ask(pictures(image(), high=1.0)).message
    )


def test_pixels_divided_twice():
    assert "divided by 255 twice" in unnormalised_image.rule.ask(sick()[5]).message


def test_channels_in_the_middle():
    answer = unnormalised_image.rule.ask(pictures(image((20, 3, 20))))
    assert "shape 20 x 3 x 20: its channels are in the middle" in answer.message


def test_each_image_of_a_dict_has_its_own_say():
    space = Space(kind="dict", parts={"left": image(dtype="float32"), "right": image(), "back": image((20, 3, 20))})
    answer = unnormalised_image.rule.ask(pictures(space))
    assert isinstance(answer, tuple)
    assert all(isinstance(each, Finding) for each in answer)
    assert [each.message.split()[2] for each in answer] == ["left", "back"]


def test_a_few_images_do_not_tell_what_never_occurs():
    assert unnormalised_image.rule.ask(pictures(image(), high=1.0, steps=60)) is None


def test_no_image_was_kept():
    blind = play("random", observations=None, successors=None)
    answer = unnormalised_image.rule.ask(changed(world(), observation=image(), plays={"random": blind}))
    assert isinstance(answer, CannotTell)
