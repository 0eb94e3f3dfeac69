/**
 * Gemini's thought signatures at the place where Google's own OpenAI endpoint has them: in the field `extra_content` of
 * the tool call or the message. https://ai.google.dev/gemini-api/docs/thought-signatures#openai
 */
import { type JsonObject, objectOf, textOf } from '../../domain/json.ts';

export function withThoughtSignature(signature: string): JsonObject {
  return { extra_content: { google: { thought_signature: signature } } };
}

/** `null` where there is none, or one of somebody else's. */
export function thoughtSignatureOf({ extra_content: extra }: JsonObject): string | null {
  return textOf(objectOf(objectOf(extra).google).thought_signature) || null;
}
