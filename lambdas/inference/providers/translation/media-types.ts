/**
 * Determines the media type of base64 data. Labels are often wrong: clients that convert or rename files keep the old
 * type, and providers reject data whose type contradicts its bytes (https://github.com/home-assistant/core/issues/167208).
 */

/** The names that providers document, by names that clients use too. https://www.iana.org/assignments/media-types */
const aliases: ReadonlyMap<string, string> = new Map([
  ['application/x-pdf', 'application/pdf'],
  ['audio/vnd.wave', 'audio/wav'],
  ['audio/wave', 'audio/wav'],
  ['audio/x-aac', 'audio/aac'],
  ['audio/x-flac', 'audio/flac'],
  ['audio/x-mp3', 'audio/mp3'],
  ['audio/x-wav', 'audio/wav'],
  ['image/jfif', 'image/jpeg'],
  ['image/jpg', 'image/jpeg'],
  ['image/pjpeg', 'image/jpeg'],
  ['image/x-png', 'image/png'],
  ['image/x-webp', 'image/webp'],
  ['text/x-markdown', 'text/markdown'],
]);

/** Bytes that determine a type, as Latin-1 text: https://mimesniff.spec.whatwg.org/#matching-a-mime-type-pattern */
interface Signature {
  pattern: RegExp;
  /** The types of such data; the first one replaces any other type. */
  types: readonly string[];
}

const signatures: readonly Signature[] = [
  { pattern: /^\x89PNG\r\n/, types: ['image/png', 'image/apng'] },
  { pattern: /^\xff\xd8\xff/, types: ['image/jpeg'] },
  { pattern: /^GIF8[79]a/, types: ['image/gif'] },
  { pattern: /^RIFF.{4}WEBP/s, types: ['image/webp'] },
  { pattern: /^.{4}ftyp(?:heic|heix)/s, types: ['image/heic', 'image/heif'] },
  { pattern: /^.{4}ftyp(?:avif)/s, types: ['image/avif'] },
  { pattern: /^%PDF-/, types: ['application/pdf'] },
  { pattern: /^RIFF.{4}WAVE/s, types: ['audio/wav'] },
  { pattern: /^fLaC/, types: ['audio/flac'] },
  { pattern: /^OggS/, types: ['audio/ogg', 'audio/opus', 'video/ogg', 'application/ogg'] },
  { pattern: /^(?:ID3|\xff[\xf2\xf3\xfa\xfb])/, types: ['audio/mp3', 'audio/mpeg'] },
  { pattern: /^\xff[\xf0\xf1\xf8\xf9]/, types: ['audio/aac'] },
];

/** Enough for every signature. A multiple of four, since four characters encode three bytes. */
const signatureCharacters = 24;

/** Reads only the start of `data`, which can be large. Without a known signature, the label is kept. */
export function mediaTypeOf(label: string, data: string): string {
  const labelled = aliases.get(label) ?? label;
  const start = Buffer.from(data.slice(0, signatureCharacters), 'base64').toString('latin1');
  const types = signatures.find(({ pattern }) => pattern.test(start))?.types;
  return types === undefined || types.includes(labelled) ? labelled : (types[0] ?? labelled);
}

/** For messages, which log entries keep: callers can write any text into a media type. */
export function describeMediaType(mediaType: string): string {
  return /^[\w.+-]{1,64}\/[\w.+-]{1,64}$/.test(mediaType) ? `of type ${mediaType}` : 'of an unknown type';
}
