"""Listings by both versions of the operation."""

from cases import ODD_KEYS, for_each_sdk


@for_each_sdk
class Listings:
    def pages(self, list_page, **query):
        """All pages, with the requirement that no page is larger than asked for."""
        following, pages = "", []
        while True:
            page = list_page(following=following, **query)
            self.assertLessEqual(len(page.keys) + len(page.prefixes), query.get("maximum", 100))
            pages.append(page)
            if not page.is_truncated:
                return pages
            following = page.following

    def everything(self, list_page, **query):
        pages = self.pages(list_page, **query)
        return [key for page in pages for key in page.keys], [name for page in pages for name in page.prefixes]

    def both(self):
        """Those versions of the operation that the client has."""
        lacks = getattr(self.client, "lacks", ())
        return [getattr(self.client, name) for name in ("list_v1", "list_v2") if name not in lacks]

    def test_odd_keys_are_listed_in_the_order_of_their_bytes(self):
        for key in ODD_KEYS:
            self.client.put(key, b"x")
        expected = sorted(ODD_KEYS, key=lambda key: key.encode())
        for list_page in self.both():
            self.assertEqual(self.everything(list_page)[0], expected)
            self.assertEqual(self.everything(list_page, maximum=3)[0], expected)

    def test_a_delimiter_folds_what_is_below(self):
        for key in ["a", "d/1", "d/2", "d/e/3", "f/", "g"]:
            self.client.put(key, b"xy")
        for list_page in self.both():
            for maximum in (1, 2, 100):
                self.assertEqual(
                    self.everything(list_page, delimiter="/", maximum=maximum), (["a", "g"], ["d/", "f/"]))
                self.assertEqual(
                    self.everything(list_page, prefix="d/", delimiter="/", maximum=maximum), (["d/1", "d/2"], ["d/e/"]))

    def test_an_odd_prefix_and_delimiter(self):
        for key in ["a b+%/中/1", "a b+%/中/2", "a b+%/z"]:
            self.client.put(key, b"x")
        for list_page in self.both():
            self.assertEqual(
                self.everything(list_page, prefix="a b+%/", delimiter="中", maximum=1), (["a b+%/z"], ["a b+%/中"]))

    def test_a_prefix_is_compared_by_bytes(self):
        self.client.put("caf\u00e9", b"x")
        self.client.put("cafe\u0301", b"x")
        for list_page in self.both():
            self.assertEqual(self.everything(list_page, prefix="cafe")[0], ["cafe\u0301"])

    def test_start_after_is_not_included(self):
        for key in ["a", "b", "b/1", "c"]:
            self.client.put(key, b"x")
        self.assertEqual(self.everything(self.client.list_v2, start_after="b")[0], ["b/1", "c"])

    def test_a_page_has_a_hundred_unless_told(self):
        for number in range(105):
            self.client.put(f"n{number:03}", b"x")
        for list_page in self.both():
            pages = self.pages(list_page)
            self.assertEqual([len(page.keys) for page in pages], [100, 5])

    def test_sizes_are_those_of_the_objects(self):
        self.client.put("one", b"1")
        self.client.put("three", b"333")
        for list_page in self.both():
            self.assertEqual(list_page().sizes, [1, 3])

    def test_an_empty_bucket_has_no_pages_to_follow(self):
        for list_page in self.both():
            page = list_page(prefix="nothing")
            self.assertEqual((page.keys, page.prefixes, page.is_truncated), ([], [], False))


del Listings
