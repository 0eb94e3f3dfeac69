/** The fields outside OpenAI's format in which chat messages carry what it has no place for. */
import type { Payload } from '#lambdas/inference/completion/conversation.ts';
import type { MediaDelta } from '#lambdas/inference/completion/sink.ts';
import type { JsonObject } from '#lambdas/platform/json/json.ts';

interface SignatureFields {
  addReasoning(delta: string): void;
  /** Blank text does not end the thinking blocks, since it is omitted when the message is sent back. */
  addText(delta: string): void;
  /** Called when content other than text and reasoning follows. */
  addOther(): void;
  /** Returns the fields for the opaque data of the part that ends; `null` if there are none. */
  fieldsOf(payload: Payload | null): JsonObject | null;
}

/**
 * Writes signed thinking to `thinking_blocks`, the field that other gateways use too
 * (https://docs.litellm.ai/docs/reasoning_content). Only blocks at the start of the message are written: OpenAI's format
 * does not preserve the position of later ones, and the API rejects moved blocks as modified.
 * https://platform.claude.com/docs/en/build-with-claude/thinking#preserving-thinking-blocks,
 * https://github.com/BerriAI/litellm/pull/23093
 */
export function createSignatureFields(): SignatureFields {
  let hasContent = false;
  let thinking = '';
  return {
    addReasoning(delta) {
      thinking += delta;
    },
    addText(delta) {
      hasContent ||= delta.trim() !== '';
    },
    addOther() {
      hasContent = true;
    },
    fieldsOf(payload) {
      const text = thinking;
      thinking = '';
      if (payload?.format !== 'anthropic') return payload && thoughtSignature(payload);
      if (hasContent) return null;
      const { kind, data } = payload;
      if (kind === 'redacted') return { thinking_blocks: [{ type: 'redacted_thinking', data }] };
      return { thinking_blocks: [{ type: 'thinking', thinking: text, signature: data }] };
    },
  };
}

/**
 * Returns Gemini's signature of a tool call or message, in the format of Google's OpenAI-compatible endpoint; `null` for the
 * data of another provider. https://ai.google.dev/gemini-api/docs/thought-signatures#openai
 */
export function thoughtSignature({ format, data }: Payload): JsonObject | null {
  return format === 'google' ? { extra_content: { google: { thought_signature: data } } } : null;
}

/** Returns images and videos in the format of OpenRouter and LiteLLM, since OpenAI has none, and other media as files. */
export function mediaFields({ mediaType, data }: MediaDelta): JsonObject {
  const url = `data:${mediaType};base64,${data}`;
  const [family] = mediaType.split('/');
  if (family === 'image') return { images: [{ type: 'image_url', image_url: { url } }] };
  if (family === 'video') return { videos: [{ type: 'video_url', video_url: { url } }] };
  return { files: [{ type: 'file', file: { file_data: url } }] };
}
