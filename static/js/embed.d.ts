/** The text of css/embed.css, which bundle.mjs puts here. */
declare const EMBEDDED_STYLES: string;

/** A file of css/ as minified text, for what is fetched only when it is wanted. */
declare module "styles:*" {
  const text: string;
  export default text;
}
