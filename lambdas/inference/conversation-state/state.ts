/**
 * Remembers which organization may continue what a provider keeps: organizations share the provider's account, in which every
 * id is readable. https://platform.openai.com/docs/guides/conversation-state
 */
import { ServiceError } from '#lambdas/platform/aws/errors.ts';
import type { JsonService } from '#lambdas/platform/aws/json-client.ts';
import { dayMs, secondMs } from '#lambdas/platform/duration.ts';
import { attributesJson, fromAttributes } from '#lambdas/platform/dynamodb/attributes.ts';
import { createJsonTableBatches } from '#lambdas/platform/dynamodb/json-batches.ts';
import type { Item } from '#lambdas/platform/dynamodb/table.ts';
import { objectOrEmpty } from '#lambdas/platform/json/json.ts';
import { conversationStateSchema } from './schema.ts';

/** The ids of one organization at one provider. All methods reject with a `ServiceError`. */
export interface ConversationState {
  /** Returns those of the ids that belong to the organization. */
  find(ids: readonly string[]): Promise<KeptContent[]>;
  /**
   * For an id that is made outside of the gateway: it belongs to the organization that uses it first. Returns `null` if that
   * is another one.
   */
  claim(id: string): Promise<KeptContent | null>;
  /** Sets the tokens of an id that the organization has claimed. */
  setTokens(id: string, tokens: number): Promise<void>;
  add(contents: readonly KeptContent[]): Promise<void>;
}

/** A response, one of its items, a conversation or a container, as the provider keeps it. */
export interface KeptContent {
  /** The provider's. */
  id: string;
  /** The id of the response, also for its items; empty for what belongs to no response. */
  responseId: string;
  /** The most input tokens that it adds to a request. */
  tokens: number;
}

export type OpenConversationState = (owner: {
  provider: string;
  organizationId: string;
}) => ConversationState;

interface StateTable {
  dynamodb: JsonService;
  tableName: string;
  now(): Date;
}

/** The longest id, in UTF-16 code units: far longer than those of providers, and within DynamoDB's limit of a key. */
const maxIdLength = 512;

/** More than a response has; a provider must not be able to cause any number of writes. */
const maxContents = 1_000;

/** DynamoDB stores no lone surrogates. */
function isStorable(id: string): boolean {
  return id.length <= maxIdLength && id.isWellFormed();
}

/** A day longer than OpenAI keeps a response. https://platform.openai.com/docs/guides/conversation-state */
const lifetimeMs = 31 * dayMs;
const timeoutMs = 3 * secondMs;

const { partitionKey, expiry } = conversationStateSchema;

export function createConversationState({ dynamodb, tableName, now }: StateTable): OpenConversationState {
  const batches = createJsonTableBatches(dynamodb);
  return ({ provider, organizationId }) => {
    const prefix = `${provider}#`;
    const keyOf = (id: string): Item => ({ [partitionKey]: prefix + id });
    const update = (id: string, assignments: string, values: Item): Promise<Item | null> =>
      updateOwn(dynamodb, {
        TableName: tableName,
        Key: keyOf(id),
        UpdateExpression: `SET organization_id = :organization${assignments}`,
        values: { ':organization': organizationId, ...values },
      });
    const toContent = (item: Item): KeptContent => ({
      id: String(item[partitionKey]).slice(prefix.length),
      responseId: String(item.response_id ?? ''),
      tokens: Number(item.tokens ?? 0),
    });
    return {
      async find(ids) {
        const keys = [...new Set(ids)].filter(isStorable).map(keyOf);
        const items = await batches.get(tableName, keys, timeoutMs);
        return items.filter((item) => item.organization_id === organizationId).map(toContent);
      },
      async claim(id) {
        const item = isStorable(id) ? await update(id, '', {}) : null;
        return item && toContent(item);
      },
      async setTokens(id, tokens) {
        await update(id, ', tokens = :tokens', { ':tokens': tokens });
      },
      async add(contents) {
        const expiresAt = Math.floor((now().getTime() + lifetimeMs) / secondMs);
        const storable = contents.filter(({ id }) => isStorable(id)).slice(0, maxContents);
        const byId = new Map(storable.map((content) => [content.id, content]));
        const items = [...byId.values()].map(({ id, responseId, tokens }) => ({
          ...keyOf(id),
          organization_id: organizationId,
          response_id: responseId,
          tokens,
          [expiry]: expiresAt,
        }));
        await batches.put(tableName, items, timeoutMs);
      },
    };
  };
}

interface OwnUpdate {
  TableName: string;
  Key: Item;
  UpdateExpression: string;
  /** Contains `:organization`. */
  values: Item;
}

/** Returns the whole item, or `null` if it belongs to another organization. */
async function updateOwn(dynamodb: JsonService, { Key, values, ...update }: OwnUpdate): Promise<Item | null> {
  const members = JSON.stringify({
    ...update,
    ConditionExpression: `attribute_not_exists(${partitionKey}) OR organization_id = :organization`,
    ReturnValues: 'ALL_NEW',
  }).slice(1, -1);
  const input = `{${members},"Key":${attributesJson(Key)},"ExpressionAttributeValues":${attributesJson(values)}}`;
  try {
    const { Attributes } = await dynamodb.call('UpdateItem', input, timeoutMs);
    return fromAttributes(objectOrEmpty(Attributes));
  } catch (error) {
    if (error instanceof ServiceError && error.name === 'ConditionalCheckFailedException') return null;
    throw error;
  }
}
