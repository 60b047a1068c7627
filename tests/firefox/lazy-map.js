/** Run in a lesson's page: adds a map of queries and keys, and tells how many weights came from a worker, and of what it reads. */
async () => {
  const n = 200;
  let answered = 0;
  const Plain = globalThis.Worker;
  globalThis.Worker = class extends Plain {
    constructor(...given) {
      super(...given);
      this.addEventListener("message", ({ data }) => (answered += data.length));
    }
  };
  const tokens = Array.from({ length: n }, (_, i) => `w${i}`);
  const map = document.createElement("heat-map");
  map.setAttribute("name", "lazy");
  map.frame = {
    version: 2, h: 1, nq: n, nk: n, queryTokens: tokens, keyTokens: tokens, weights: null, scores: null, mask: "causal", headLabels: null,
    checks: [], buffers: [new Float32Array(n), new Float32Array(n)], lazy: { queries: { buffer: 0 }, keys: { buffer: 1 }, dk: 1, scale: 1 },
  };
  document.querySelector("main").append(map);
  map.scrollIntoView();
  const whole = () => map.querySelector(".hm-whole > canvas[width]:not([data-old])");
  while (!whole()) await new Promise(requestAnimationFrame);
  globalThis.Worker = Plain;
  map.setAttribute("data-query", "1");
  return { answered, shares: [...map.querySelectorAll(".hm-bars > :not([data-none]) .hm-share")].map((share) => share.textContent) };
};
