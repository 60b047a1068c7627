/** The text of css/embed.css, which bundle.mjs puts here. */
declare const EMBEDDED_STYLES: string;
