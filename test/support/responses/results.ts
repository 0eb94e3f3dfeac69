/** Random results of providers for requests with custom tools and groups of tools, and the items' parts in the neutral form. */
import type { AssistantPart, Payload } from '#lambdas/inference/completion/conversation.ts';
import { parseExactJson } from '#lambdas/platform/json/exact-json.ts';
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import { character, fc } from '../fast-check.ts';
import { expectedParts } from '../messages/expected-parts.ts';
import { type kinds, type Result, results } from '../messages/results.ts';
import { escapedJson } from './escaped-json.ts';

const schema = { type: 'object', properties: {} };
const look = { type: 'function', name: 'look', parameters: schema };
const goOn = { type: 'function', name: 'go_on', parameters: schema };
const patch = { type: 'custom', name: 'patch' };

/** Two tools of the same name are told apart by their groups. */
export const offeredTools: JsonObject[] = [
  look,
  goOn,
  patch,
  { type: 'namespace', name: 'team', description: 'Others', tools: [look, patch] },
];

const text = fc
  .array(fc.oneof(character, fc.constantFrom('\n', '"', '\\', '🙂', '*** Begin Patch')), { maxLength: 5 })
  .map((characters) => characters.join('').toWellFormed());

const textArguments = text
  .chain(escapedJson)
  .chain((json) =>
    fc.constantFrom(`{"input":${json}}`, ` {"input" : ${json} }`, `{"note":"x","input":${json}}`),
  );

interface Variant {
  /** The JSON of a custom tool's arguments; `null` for a function. */
  custom: string | null;
  isInGroup: boolean;
}

const variants = fc.array(fc.record({ custom: fc.option(textArguments), isInGroup: fc.boolean() }), {
  minLength: 4,
  maxLength: 4,
});

/** The results of a kind of provider, whose calls are of any of the tools. */
export function toolResults(kind: (typeof kinds)[keyof typeof kinds]): fc.Arbitrary<Result> {
  return fc.tuple(results(kind), variants).map(([result, list]) => withVariants(result, list));
}

function withVariants(result: Result, variantList: readonly Variant[]): Result {
  let count = 0;
  const segments = result.segments.map((segment) => {
    if (segment.type !== 'calls') return segment;
    const calls = segment.calls.map((call) => {
      const { custom, isInGroup } = variantList[count++ % variantList.length] ?? {
        custom: null,
        isInGroup: false,
      };
      const group = isInGroup ? { namespace: 'team' } : {};
      if (custom !== null) return { ...call, name: 'patch', arguments: custom, ...group };
      return isInGroup ? { ...call, name: 'look', ...group } : call;
    });
    return { ...segment, calls };
  });
  return { ...result, segments };
}

export type NeutralPart =
  | { type: 'text' | 'reasoning'; text: string; payload: Payload | null }
  | {
      type: 'call';
      id: string;
      name: string;
      namespace: string | null;
      arguments: string;
      payload: Payload | null;
    };

/** A part of a request without what depends on its place. The arguments of a call become JSON with all digits. */
export function comparable(part: AssistantPart): NeutralPart {
  const { payload } = part;
  if (part.type === 'text' || part.type === 'reasoning') return { type: part.type, text: part.text, payload };
  if (part.type !== 'call') throw new Error('Custom tools are read as functions');
  const { id, name, namespace } = part;
  return { type: 'call', id, name, namespace, arguments: JSON.stringify(part.arguments), payload };
}

/**
 * The parts that the caller of the Responses API sends back: as in a message, but a refusal does not continue a text, and a
 * custom tool has only its input.
 */
export function neutralParts(result: Result): NeutralPart[] {
  const calls = new Map(
    result.segments.flatMap((segment) =>
      segment.type === 'calls' ? segment.calls.map((call) => [call.id, call] as const) : [],
    ),
  );
  const parts = expectedParts({ ...result, refusal: '' }).map((part): NeutralPart => {
    if (part.type !== 'call') return part;
    const { namespace = null } = { namespace: null, ...calls.get(part.id) };
    const isCustom = part.name === 'patch';
    const json = isCustom ? customArguments(part.arguments) : part.arguments;
    return { ...part, namespace, arguments: json };
  });
  const { refusal } = result;
  return refusal === ''
    ? parts
    : [...withLastData(parts, result), { type: 'text', text: refusal, payload: null }];
}

function customArguments(json: string): string {
  const { input } = JSON.parse(json);
  return JSON.stringify({ input });
}

/** The data of the last text is sent if a refusal follows it. */
function withLastData(parts: readonly NeutralPart[], result: Result): NeutralPart[] {
  const whole = expectedParts({ ...result, refusal: 'x' });
  return parts.map((part, at) => {
    const { payload } = whole[at] ?? part;
    return at === parts.length - 1 && part.type === 'text' ? { ...part, payload } : part;
  });
}

export function exact(json: string): string {
  return JSON.stringify(parseExactJson(json));
}
