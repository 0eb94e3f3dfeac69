/** Measures what bounds the cost of a request: its size, and the options that can change its prices. */
import { tooManyTiersError } from '#lambdas/limits/errors.ts';
import { type Medium, noAttachments, type RequestSize } from '#lambdas/limits/estimate.ts';
import {
  foldCase,
  type LooseObject,
  looseJson,
  looseObject,
  stringOf,
} from '#lambdas/platform/json/loose-json.ts';
import type { JsonMember } from '#lambdas/platform/json/members.ts';
import type { RequestedOptions } from '#lambdas/pricing/max-rates.ts';

export interface Attachment {
  medium: Medium;
  /**
   * The data or URL in the body. Empty for a reference to an earlier upload or response, and if not all servers read it
   * as an attachment: others may read it as text.
   */
  data: string;
}

/** The request format of an operation. */
export interface RequestFormat {
  /** An upper bound for all servers: those of duplicate keys, and of names and types in another case, count together. */
  listAttachments(body: LooseObject): Iterable<Attachment>;
  /** The fields that never contain a tier or a modality, but texts and names of the caller's choice. */
  textFields: ReadonlySet<string>;
}

/** `text` is the body of a request. Throws a `GatewayError` (400) for too many tiers. */
export function measureMaxCost(text: string, format: RequestFormat): RequestSize & RequestedOptions {
  const body = looseObject(looseJson(text));
  const size = requestSizeOf(body, format);
  return { ...size, ...requestedOptionsOf(body, size, format) };
}

export function requestSizeOf(
  body: LooseObject,
  { listAttachments }: Pick<RequestFormat, 'listAttachments'>,
): RequestSize {
  const attachments = { ...noAttachments };
  let textBytes = Buffer.byteLength(body.value.text);
  for (const { medium, data } of listAttachments(body)) {
    attachments[medium]++;
    // Escapes make the string longer in the body, never shorter.
    textBytes -= Buffer.byteLength(data);
  }
  return { textBytes, attachments };
}

/** Bounds the lookups of prices. */
const maxServiceTiers = 16;

/**
 * The keys that mark what to cache, such as `cache_control` and `cachePoint`, may be anywhere, and with escaped letters.
 * A text that mentions a cache also counts.
 */
const namesCache = /cache|\\u00[46]/i;

/** `size` is that of the same body. Throws a `GatewayError` (400) for too many tiers. */
export function requestedOptionsOf(
  body: LooseObject,
  { attachments }: RequestSize,
  { textFields }: Pick<RequestFormat, 'textFields'>,
): RequestedOptions {
  const { values, isNamedExactly } = body.find('service_tier');
  const tiers = new Set([...values.map(stringOf), ...(isNamedExactly ? [] : [null])]);
  if (tiers.size > maxServiceTiers) throw tooManyTiersError(tiers.size);
  const [serviceTier = null, ...otherServiceTiers] = tiers;
  const options = body.members.filter(({ key }) => !textFields.has(key));
  const optionsText = foldCase(`[${options.map((option) => optionText(body.value.text, option)).join()}]`);
  return {
    serviceTier,
    ...(otherServiceTiers.length > 0 && { otherServiceTiers }),
    optionsText,
    // A video has a sound track.
    withAudio: optionsText.includes('audio') || attachments.audio + attachments.video > 0,
    withImages: attachments.image > 0,
    withCaching: namesCache.test(body.value.text),
    withOutput: true,
  };
}

/** The text without escapes, and not the parsed value, which is without all but the last of duplicate keys. */
function optionText(text: string, { key, start, end }: JsonMember): string {
  const value = text.slice(start, end);
  return `[${JSON.stringify(key)},${value.includes('\\') ? unescaped(value) : value}]`;
}

function unescaped(value: string): string {
  return value.replace(/\\(?:u[0-9a-f]{4}|.)/gi, (escaped) => String(JSON.parse(`"${escaped}"`)));
}
