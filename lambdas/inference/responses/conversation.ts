/** The part of a conversation that the provider keeps: whose it is, and how much input it adds to a request. */
import { GatewayError } from '#lambdas/platform/errors.ts';
import { logUnexpected } from '#lambdas/platform/http/error-response.ts';
import { inputTokens } from '#lambdas/pricing/usage.ts';
import type { ReaderFacts } from '../completion/facts.ts';
import type { ConversationState, KeptContent } from '../conversation-state/state.ts';
import type { KeptContents } from '../providers/catalog.ts';
import type { NativeRequest } from '../providers/native/request.ts';
import { countReferences, findReferences, type References } from './references.ts';

/** The conversation of one request. */
export interface Conversation {
  /** An upper bound of the tokens that earlier contents add to the input; 0 until it is opened. */
  contextTokens(): number;
  /** Throws a `GatewayError` (400, 404) for contents that are not the organization's. */
  open(open: () => Promise<ConversationState>): Promise<void>;
  /** Remembers the response as the organization's. Logs errors instead of throwing them: the response itself is complete. */
  keep(facts: ReaderFacts): Promise<void>;
}

/** `kept` is what the provider loads by an id. */
export function createConversation(request: NativeRequest, kept: KeptContents): Conversation {
  const references = findReferences(request, kept);
  let openState: (() => Promise<ConversationState>) | null = null;
  let contextTokens = 0;
  return {
    contextTokens: () => contextTokens,
    async open(open) {
      openState = open;
      if (countReferences(references) > 0) contextTokens = await readContextTokens(references, await open());
    },
    async keep(facts) {
      if (kept === 'nothing') return;
      const contents = contentsOf(facts, { isStored: request.body.store !== false });
      const { conversations } = references;
      if (openState === null || contents.length + conversations.length === 0) return;
      try {
        const state = await openState();
        const total = totalTokens(facts);
        await Promise.all([
          contents.length === 0 ? undefined : state.add(contents),
          ...conversations.map((id) => state.setTokens(id, total)),
        ]);
      } catch (error) {
        logUnexpected(error);
      }
    },
  };
}

const nothingKept = { id: '', items: [], containers: [], isStored: false };

/** A container has the files of its organization, whether the response is stored or not. */
function contentsOf(facts: ReaderFacts, { isStored }: { isStored: boolean }): KeptContent[] {
  const { id, items, containers, isStored: isKept } = facts.kept ?? nothingKept;
  const outputTokens = facts.usage?.outputTokens ?? 0;
  const stored = isStored && isKept && id !== '';
  return [
    ...(stored ? [{ id, responseId: id, tokens: totalTokens(facts) }] : []),
    ...(stored ? items.map((item) => ({ id: item, responseId: id, tokens: outputTokens })) : []),
    ...containers.map((container) => ({ id: container, responseId: '', tokens: 0 })),
  ];
}

function totalTokens({ usage }: ReaderFacts): number {
  return usage === null ? 0 : inputTokens(usage) + usage.outputTokens;
}

async function readContextTokens(
  { responses, compared, items, conversations, containers }: References,
  state: ConversationState,
): Promise<number> {
  const kept = [...responses, ...compared, ...items];
  const [found, claimed] = await Promise.all([
    kept.length === 0 ? [] : state.find(kept),
    Promise.all(
      [...conversations, ...containers].map(async (id) => ({ id, content: await state.claim(id) })),
    ),
  ]);
  const known = new Map(found.map((content) => [content.id, content]));
  const foreign = claimed.find(({ content }) => content === null);
  const missing = (ids: readonly string[]) => ids.find((id) => !known.has(id));
  const [response, other, item] = [missing(responses), missing(compared), missing(items)];
  if (response !== undefined) throw unknownResponseError(response, 'previous_response_id');
  if (other !== undefined) throw unknownResponseError(other, 'prompt_cache_options.comparison_response_id');
  if (item !== undefined) throw unknownItemError(item);
  if (foreign !== undefined) {
    const kind = conversations.includes(foreign.id) ? 'conversation' : 'container';
    throw unknownPlaceError(kind, foreign.id);
  }
  const own = claimed.flatMap(({ content }) => content ?? []);
  return sum([...responses.flatMap((id) => known.get(id) ?? []), ...own]) + itemTokens(items, known);
}

/** All items of a response together have at most the tokens of its output. */
function itemTokens(items: readonly string[], known: ReadonlyMap<string, KeptContent>): number {
  const byResponse = new Map<string, KeptContent>();
  for (const id of items) {
    const content = known.get(id);
    if (content !== undefined) byResponse.set(content.responseId, content);
  }
  return sum([...byResponse.values()]);
}

function sum(contents: readonly KeptContent[]): number {
  return contents.reduce((total, { tokens }) => total + tokens, 0);
}

/** The codes and the first sentences are OpenAI's: clients react to them. */
function unknownResponseError(id: string, param: string): GatewayError {
  return new GatewayError('invalid_request_error', {
    param,
    providerCode: 'previous_response_not_found',
    message: `Previous response with id '${id}' not found. It must come from an earlier request of this organization through the gateway, at most 30 days ago, without store: false.`,
    isMessageLogged: false,
  });
}

function unknownItemError(id: string): GatewayError {
  return new GatewayError('not_found', {
    param: 'input',
    message: `Item with id '${id}' not found. Items are not persisted when \`store\` is set to false. It must come from an earlier response to this organization through the gateway, at most 30 days ago; or send the whole item instead of its id.`,
    isMessageLogged: false,
  });
}

function unknownPlaceError(kind: 'conversation' | 'container', id: string): GatewayError {
  const name = kind === 'conversation' ? 'Conversation' : 'Container';
  return new GatewayError('not_found', {
    param: kind,
    message: `${name} with id '${id}' not found. It belongs to the organization that has used it first through the gateway.`,
    isMessageLogged: false,
  });
}
