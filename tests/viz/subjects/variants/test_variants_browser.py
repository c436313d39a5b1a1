"""The page of variants in a real browser: each map shows the run of its own variant."""

from playwright.sync_api import Browser, Locator, expect

from tests.browsing import open_page, ready


def attention_pictures(on_map: Locator) -> list[str]:
    """The images of the attention blocks that can be seen; none is left out."""
    frames = on_map.locator(".loupe-map-part:visible .loupe-map-attention .loupe-map-picture")
    expect(frames).to_have_count(3)
    expect(frames.locator("image")).to_have_count(3)
    return frames.locator("image").evaluate_all(
        "images => images.map((image) => image.getAttribute('href'))"
    )


def test_every_compared_variant_has_its_attention_on_its_map(browser: Browser, address: str):
    with open_page(browser, f"{address}/variants?more_variants_differences=true") as page:
        ready(page)
        maps = page.locator("[class*='st-key-variants_map_'] .loupe-map-svg")
        expect(maps).to_have_count(2)
        first, second = (attention_pictures(each) for each in maps.all())
        assert all(a != b for a, b in zip(first, second, strict=True))
