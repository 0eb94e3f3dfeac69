/**
 * Leaves out the reasoning that the gateway has written for a provider without the API, when a conversation goes on at one
 * with it, which could not read it.
 */
import { isExactJsonObject, parseExactJson } from '#lambdas/platform/json/exact-json.ts';
import { type NativeRequest, parseNativeRequest } from '../providers/native/request.ts';
import { serialize } from '../providers/serialize.ts';
import { applyEdits } from '../request-body.ts';
import { responsesNames } from './request/names.ts';
import { isWrittenByGateway } from './request/reasoning.ts';

/** Keeps every other byte of the request, apart from white space in its input. */
export function withoutForeignReasoning(request: NativeRequest): NativeRequest {
  const { text, members } = request;
  const edits = members
    .filter(({ key }) => key === 'input')
    .flatMap(({ start, end }) => {
      const items = parseExactJson(text.slice(start, end));
      if (!Array.isArray(items)) return [];
      const kept = items.filter((item) => !isExactJsonObject(item) || !isWrittenByGateway(item));
      return kept.length === items.length ? [] : [{ start, end, text: serialize(kept) }];
    });
  if (edits.length === 0) return request;
  return { ...parseNativeRequest(applyEdits(text, edits)), ignored: [responsesNames.reasoning] };
}
