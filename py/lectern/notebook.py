"""The heat map in a notebook: an object that shows itself, complete in itself, also without a network.

from lectern.notebook import AttentionMap
AttentionMap(weights, tokens)          # PyTorch's tensors and NumPy's arrays alike
"""

from __future__ import annotations

import base64
import html
import json
from pathlib import Path
from typing import Any

import numpy as np

from lectern.frame import attention_frame, packed

SCRIPT = Path(__file__).parents[2] / "dist/embed/heat-map.js"
"""Where `python build.py` leaves the heat map as one script."""

_FRAME_HEIGHT = 760  # pixels, unless the caller knows better


class AttentionMap:
    """An attention frame that Jupyter shows as a heat map.

    Takes what `show_attention` takes; `height` is in pixels, `script` is `embed/heat-map.js` of a built site.

    Raises TypeError or ValueError, as `show_attention` does; without the script FileNotFoundError, with what
    to do.
    """

    def __init__(
        self, *arguments: Any, script: str | Path = SCRIPT, height: int = _FRAME_HEIGHT, **options: Any
    ) -> None:
        self.frame, self._arrays = packed(attention_frame(*arguments, **options))
        self.height = height
        try:
            self._script = Path(script).read_text(encoding="utf-8")
        except FileNotFoundError:
            raise FileNotFoundError(
                f"{script} is not there. `python build.py` makes it; a site has it as embed/heat-map.js."
            ) from None

    def to_json(self) -> str:
        """The frame as JSON, for `<heat-map src="….json">`; large arrays are in it as base64."""
        kinds = {np.dtype(np.float32): "f4", np.dtype(np.uint8): "u1"}
        buffers = [
            f"{kinds[array.dtype]}:{base64.b64encode(array.tobytes()).decode()}" for array in self._arrays
        ]
        return json.dumps(self.frame | ({"buffers": buffers} if buffers else {}), allow_nan=False)

    def to_html(self) -> str:
        """A page with nothing but this map; it asks no other address for anything."""
        script = self._script.replace("</script", "<\\/script")
        frame = self.to_json().replace("<", "\\u003c")
        return (
            '<!doctype html><html lang="en"><meta charset="utf-8"><title>Attention</title><body>'
            '<heat-map name="attention">'
            f'<script type="application/json" data-frame>{frame}</script></heat-map>'
            f"<script>{script}</script></body></html>"
        )

    def _repr_html_(self) -> str:
        # In a frame of its own: the notebook's styles stay out, and its page stays out of the script's reach.
        page = html.escape(self.to_html(), quote=True)
        return (
            f'<iframe srcdoc="{page}" title="Attention heat map" sandbox="allow-scripts allow-downloads" '
            f'allow="clipboard-write" style="width:100%;height:{self.height}px;border:0"></iframe>'
        )
