/** The text of css/embed.css, which bundle.mjs puts here. */
declare const EMBEDDED_STYLES: string;

/** A file of css/ as minified text, for what is fetched only when it is wanted. */
declare module "styles:*" {
  const text: string;
  export default text;
}

/** A script of js/ and all that it imports, as the text of a classic worker. */
declare module "worker:*" {
  const text: string;
  export default text;
}
