/** The parts of a message's content. */
import { invalidRequestError } from '#lambdas/platform/errors.ts';
import { isAbsent, readObject } from '#lambdas/platform/json/fields.ts';
import type { JsonObject } from '#lambdas/platform/json/json.ts';

export type ContentPart = TextPart | MediaPart;

export interface TextPart {
  type: 'text';
  text: string;
  /** Anthropic's cache breakpoint, which requests caching of the prompt up to this part. */
  cacheControl: JsonObject | null;
  /** The path of the part in the request, for error messages. */
  param: string;
}

export interface MediaPart {
  type: 'media';
  medium: 'image' | 'audio' | 'video' | 'document';
  source: MediaSource;
  filename: string | null;
  /** Only for images. */
  detail: string | null;
  cacheControl: JsonObject | null;
  param: string;
}

export type MediaSource = { kind: 'url'; url: string } | { kind: 'base64'; mediaType: string; data: string };

interface AnyPart {
  type: string;
  text?: string;
  cacheControl?: JsonObject | null;
}

/** Moves the breakpoint of a blank text to the part before it. */
export function withoutBlankText<Part extends AnyPart>(parts: readonly Part[]): Part[] {
  return withoutText(parts, (text) => text.trim() === '');
}

/** Leaves out empty text, which providers reject, and moves its breakpoint to the part before it. */
export function withoutEmptyText<Part extends AnyPart>(parts: readonly Part[]): Part[] {
  return withoutText(parts, (text) => text === '');
}

function withoutText<Part extends AnyPart>(
  parts: readonly Part[],
  isLeftOut: (text: string) => boolean,
): Part[] {
  const kept: Part[] = [];
  for (const part of parts) {
    if (part.type === 'text' && isLeftOut(part.text ?? '')) setCacheControlOnLast(kept, part.cacheControl);
    else kept.push({ ...part });
  }
  return kept;
}

/** Sets a breakpoint on the last part unless that part has its own, or can have none. */
export function setCacheControlOnLast(
  parts: Pick<AnyPart, 'cacheControl'>[],
  cacheControl: JsonObject | null | undefined,
): void {
  const last = parts.at(-1);
  if (last?.cacheControl === null) last.cacheControl = cacheControl ?? null;
}

/** Reads Anthropic's cache breakpoint of a block, message or tool, whose path is `param`. Throws a `GatewayError` (400). */
export function readCacheControl({ cache_control: value }: JsonObject, param: string): JsonObject | null {
  return isAbsent(value) ? null : readObject(value, `${param}.cache_control`);
}

/** Throws a `GatewayError` (400) that names the first part of another type, in a message whose role allows only text. */
export function onlyText(parts: readonly ContentPart[]): TextPart[] {
  return parts.map((part) => {
    if (part.type !== 'text')
      throw invalidRequestError(part.param, `${part.param} must be text in a message of this role`);
    return part;
  });
}
