/** Renders content parts. https://platform.openai.com/docs/api-reference/responses/create#responses-create-input */
import type { ContentPart, MediaPart } from '#lambdas/inference/completion/content.ts';
import { unsupportedParameterError } from '#lambdas/platform/errors.ts';
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import { nameOf, urlOf, withTextOfFile } from '../conversion/content-parts.ts';

/** The parts of a message, or of a tool's result. */
export function renderParts(parts: readonly ContentPart[]): JsonObject[] {
  return parts
    .map(withTextOfFile)
    .map((part) => (part.type === 'text' ? textPart(part.text) : renderMedia(part)));
}

/** A single text is a string. */
export function renderOutput(parts: readonly ContentPart[]): string | JsonObject[] {
  const [first, ...others] = parts.map(withTextOfFile);
  if (first === undefined) return '';
  return first.type === 'text' && others.length === 0 ? first.text : renderParts(parts);
}

export function textPart(text: string): JsonObject {
  return { type: 'input_text', text };
}

function renderMedia({ medium, source, filename, detail, param }: MediaPart): JsonObject {
  switch (medium) {
    case 'image':
      return { type: 'input_image', image_url: urlOf(source), detail: detail ?? 'auto' };
    case 'document':
      if (source.kind === 'url') return { type: 'input_file', file_url: source.url };
      return { type: 'input_file', ...nameOf(source, filename), file_data: urlOf(source) };
    case 'audio':
    case 'video':
      throw unsupportedParameterError(param, `${param} is ${medium}, which the model does not take`);
    default:
      return medium satisfies never;
  }
}
