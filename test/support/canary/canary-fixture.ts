/** A recorded exchange with canaries in the caller's words and in the provider's. */
import { isJsonObject, parseJson } from '#lambdas/platform/json/json.ts';
import type { Fixture } from '../providers/fixture.ts';
import type { Canaries, ContentKind } from './canaries.ts';

type KindOf = (name: string, parent: Record<string, unknown>) => ContentKind | undefined;

/** `credential` is put into what the provider says of its errors. */
export function withCanaries(fixture: Fixture, { content }: Canaries, credential: string): Fixture {
  const error = `${content["provider's error"]} ${credential}`;
  const addTo = (kindOf: KindOf) => (value: unknown) =>
    mapTexts(value, (text, name, parent) => {
      const kind = kindOf(name, parent);
      if (kind === undefined || text === '') return text;
      if (name === 'arguments') return addToArguments(text, content[kind]);
      return `${text} ${kind === "provider's error" ? error : content[kind]}`;
    });
  const { request, plain, stream } = fixture;
  const asked = addTo(askedKind);
  const answered = addTo(answeredKind);
  return {
    ...fixture,
    request: asked(request) as Fixture['request'],
    plain: plain && { ...plain, body: answered(plain.body) },
    stream:
      stream &&
      ('events' in stream
        ? { ...stream, events: stream.events.map(answered) }
        : { ...stream, body: answered(stream.body) }),
  };
}

const askedKinds: Readonly<Record<string, ContentKind>> = {
  user: 'prompt',
  system: 'system',
  assistant: 'assistant',
  tool: 'tool result',
};

/** Of a message, and of a part of one: a part does not say whose it is. */
function askedKind(name: string, parent: Record<string, unknown>): ContentKind | undefined {
  if (name === 'arguments') return 'tool arguments';
  if (name === 'text' || name === 'content') return askedKinds[String(parent.role)] ?? 'prompt';
  return name === 'description' ? 'tool description' : undefined;
}

const answeredKinds: Readonly<Record<string, ContentKind>> = {
  content: 'answer',
  text: 'answer',
  refusal: 'answer',
  reasoning: 'reasoning',
  reasoning_content: 'reasoning',
  thinking: 'reasoning',
  arguments: 'answered arguments',
  message: "provider's error",
};

function answeredKind(name: string): ContentKind | undefined {
  return Object.hasOwn(answeredKinds, name) ? answeredKinds[name] : undefined;
}

/** A piece of a stream is not JSON of its own, and stays as it is. */
function addToArguments(text: string, canary: string): string {
  const value = parseJson(text);
  return isJsonObject(value) ? JSON.stringify({ ...value, note: canary }) : text;
}

type ChangeText = (text: string, name: string, parent: Record<string, unknown>) => string;

function mapTexts(value: unknown, change: ChangeText): unknown {
  if (Array.isArray(value)) return value.map((element) => mapTexts(element, change));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      typeof member === 'string' ? change(member, name, value) : mapTexts(member, change),
    ]),
  );
}
