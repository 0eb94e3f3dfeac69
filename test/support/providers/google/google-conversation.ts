/** The rules that a conversation with a Gemini model keeps; each gives the refusal, or `null`. */
import type { GoogleModel } from './google-models.ts';

export interface Part {
  text?: string;
  functionCall?: { id?: string; name?: string; args?: Record<string, unknown> };
  functionResponse?: { id?: string; name?: string; response?: Record<string, unknown> };
  thought?: boolean;
  thoughtSignature?: string;
}

export interface Content {
  role?: string;
  parts?: Part[];
}

export function conversationRefusal(contents: Content[], model: GoogleModel): string | null {
  return (
    partsRefusal(contents) ??
    referenceRefusal(contents) ??
    turnsRefusal(contents) ??
    endRefusal(contents, model) ??
    signatureRefusal(contents, model)
  );
}

function partsRefusal(contents: Content[]): string | null {
  if (contents.length === 0) return '* GenerateContentRequest.contents: contents is not specified\n';
  for (const [index, { role, parts = [] }] of contents.entries()) {
    const place = `* GenerateContentRequest.contents[${index}].parts`;
    if (role !== undefined && role !== 'user' && role !== 'model') {
      return `Content with ${role} role is not supported.\nPlease use a valid role: user, model.`;
    }
    if (parts.length === 0) return `${place}: contents.parts must not be empty.\n`;
    for (const [number, part] of parts.entries()) {
      const problem = partProblem(part);
      if (problem !== null) return `${place}[${number}].${problem}\n`;
    }
  }
  return null;
}

/** What a part may say beside its data. */
const notData = ['thought', 'thoughtSignature', 'partMetadata', 'videoMetadata', 'mediaResolution'];

function partProblem(part: Part): string | null {
  if (Object.keys(part).every((field) => notData.includes(field))) {
    return "data: required oneof field 'data' must have one initialized field";
  }
  const { functionCall, functionResponse } = part;
  if (functionCall !== undefined && !functionCall.name) return 'function_call.name: Name cannot be empty.';
  if (functionResponse !== undefined && !functionResponse.name) {
    return 'function_response.name: Name cannot be empty.';
  }
  return null;
}

/** A `$ref` in a result means a part of it, by its name, which the fake's messages do not have. https://github.com/vercel/ai/issues/14369 */
function referenceRefusal(contents: Content[]): string | null {
  const responses = contents.flatMap(({ parts = [] }) =>
    parts.map((part) => part.functionResponse?.response),
  );
  const [, name] = /"\$ref":"([^"]*)"/.exec(JSON.stringify(responses)) ?? [];
  return name === undefined
    ? null
    : `The referenced name \`${name}\` in function_response.response does not match to a display_name in the function_response.parts.`;
}

/** Calls follow a user, and as many results follow the calls, in one turn. Turns of one role are not joined. */
function turnsRefusal(contents: Content[]): string | null {
  for (const [index, content] of contents.entries()) {
    const before = contents[index - 1];
    const callsBefore = before === undefined ? 0 : countOf(before, 'functionCall');
    const results = countOf(content, 'functionResponse');
    if (results > 0 && callsBefore === 0) {
      return 'Please ensure that function response turn comes immediately after a function call turn.';
    }
    if (results !== callsBefore) {
      return 'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.';
    }
    if (countOf(content, 'functionCall') > 0 && (before === undefined || before.role === 'model')) {
      return 'Please ensure that function call turn comes immediately after a user turn or after a function response turn.';
    }
  }
  return null;
}

function endRefusal(contents: Content[], model: GoogleModel): string | null {
  const last = contents.at(-1);
  if (last?.role !== 'model') return null;
  if (countOf(last, 'functionCall') > 0) {
    return 'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.';
  }
  return model.takesPrefill ? null : 'Requests ending with a model turn are not supported.';
}

/** To be put where there is no signature: https://ai.google.dev/gemini-api/docs/thought-signatures#faqs */
const standIns = ['skip_thought_signature_validator', 'context_engineering_is_the_way_to_go'];

/** Only the current turn is checked: what comes behind the newest user content that is more than results of functions. */
function signatureRefusal(contents: Content[], model: GoogleModel): string | null {
  const turnStart = contents.findLastIndex(
    (content) =>
      content.role !== 'model' && (content.parts ?? []).some((part) => part.functionResponse === undefined),
  );
  for (const [index, { role, parts = [] }] of contents.entries()) {
    const signatures = parts.flatMap(({ thoughtSignature }) => thoughtSignature ?? []);
    if (signatures.some((signature) => !standIns.includes(signature) && !isOwnSignature(signature))) {
      return 'Corrupted thought signature.';
    }
    const call = parts.find(({ functionCall }) => functionCall !== undefined);
    if (!model.signsCalls || role !== 'model' || index < turnStart || call === undefined) continue;
    if (!call.thoughtSignature) return missingSignature(call.functionCall?.name, index + 1);
  }
  return null;
}

/** Signatures are protobuf, of which the recorded ones show the first byte. */
function isOwnSignature(signature: string): boolean {
  return /^[ACE]/.test(signature);
}

function missingSignature(name: string | undefined, position: number): string {
  return `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call \`default_api:${name}\` , position ${position}. Please refer to https://ai.google.dev/gemini-api/docs/thought-signatures for more details.`;
}

export function countOf({ parts = [] }: Content, kind: 'functionCall' | 'functionResponse'): number {
  return parts.filter((part) => part[kind] !== undefined).length;
}
