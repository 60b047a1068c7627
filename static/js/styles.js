/** Styles that come with the script that needs them: added to the page once, after its own. */

/** @param {string} text */
export function adopt(text) {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(text);
  document.adoptedStyleSheets.push(sheet);
}
