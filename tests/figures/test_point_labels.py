"""Labels of points: each where it is free, the first come first."""

from __future__ import annotations

from historylab.figures.point_labels import Label, place_labels

WIDE, HIGH = 300, 200


def places(*labels: Label) -> list[str | None]:
    return place_labels(labels, WIDE, HIGH)


def test_a_label_stands_above_its_point_and_to_the_right():
    assert places(Label("yours", 100, 100)) == ["top right"]


def test_at_the_right_edge_it_stands_to_the_left():
    assert places(Label("not trimming", 290, 100)) == ["top left"]


def test_two_labels_of_neighbours_keep_apart():
    assert places(Label("yours", 100, 100), Label("not trimming", 104, 98)) == ["top right", "top left"]


def test_where_there_is_no_room_there_is_no_label():
    crowd = [Label("summarise at 96k", 150, 100)] * 12
    assert places(*crowd).count(None) > 0


def test_a_settled_place_stays_and_others_make_way():
    settled = Label("yours", 100, 100, "top left")
    assert places(settled, Label("not trimming", 90, 100))[0] == "top left"
