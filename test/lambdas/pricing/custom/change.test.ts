import { randomUUID } from 'node:crypto';
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { endCustomPrice, type NewPrice, setCustomPrices } from '#lambdas/pricing/custom/change.ts';
import { readCustomPrices } from '#lambdas/pricing/custom/store.ts';
import { createTestAuditTrail, type TestAuditTrail } from '#test/support/audit/test-audit-trail.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { createTable } from '#test/support/dynamodb/tables.ts';

const nowMs = Date.UTC(2026, 10, 1);
const at = (ms: number) => new Date(nowMs + ms);
const text = (ms: number) => at(ms).toISOString();

let database: EmbeddedDynamoDB;
let tableName: string;
let model: string;
let audit: TestAuditTrail;

beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
  ({ name: tableName } = await createTable(database.client, 'Prices', { key: ['model', 'scope'] }));
  const { name: auditTrail } = await createTable(database.client, 'AuditTrail', {
    key: ['organization_id', 'id'],
  });
  audit = createTestAuditTrail(database, { auditTrail });
});
beforeEach(() => {
  model = `openai/${randomUUID()}`;
});
afterAll(() => database.stop());

const table = (now = () => at(0)) => ({ client: database.documentClient, tableName, now });
const scope = (organizationId: string | null = null) => ({ model, organizationId });
const price = (input: number) => ({ prices: { input, output: 0.125, cache_read: 1e-7 }, above: [] });
const newPrice = (input: number, fields: Partial<NewPrice> = {}): NewPrice => ({
  tier: null,
  price: price(input),
  from: null,
  ...fields,
});
const set = (...prices: NewPrice[]) => setCustomPrices(table(), scope(), prices);

async function storedPrices(organizationId: string | null = null) {
  const all = await readCustomPrices(table());
  return all.find((found) => found.model === model && found.organizationId === organizationId)?.prices;
}

describe('Setting custom prices', () => {
  it('starts a price 70 seconds from now, when no function has an older one in its cache', async () => {
    const stored = { from: text(70_000), tier: null, price: price(2.5) };

    expect(await set(newPrice(2.5))).toEqual({
      changed: [stored],
      unchanged: [],
      removed: [],
      isLate: false,
    });
    expect(await storedPrices()).toEqual([stored]);
  });

  it('keeps earlier and later prices and those of other tiers, in the order of their starts', async () => {
    await set(newPrice(3, { from: at(300_000) }), newPrice(1, { from: at(100_000) }));
    await set(newPrice(2, { from: at(200_000) }), newPrice(9, { from: at(150_000), tier: 'flex' }));

    const stored = (await storedPrices()) ?? [];
    expect(stored.map((found) => [found.tier, found.from, found.price?.prices.input])).toEqual([
      [null, text(100_000), 1],
      ['flex', text(150_000), 9],
      [null, text(200_000), 2],
      [null, text(300_000), 3],
    ]);
  });

  it('replaces a price with the same start and tier, under any name of the tier in any case', async () => {
    await set(newPrice(1, { from: at(100_000) }), newPrice(5, { from: at(100_000), tier: 'priority' }));
    await set(newPrice(2, { from: at(100_000) }), newPrice(6, { from: at(100_000), tier: 'Fast' }));

    expect((await storedPrices())?.map((found) => [found.tier, found.price?.prices.input])).toEqual([
      [null, 2],
      ['Fast', 6],
    ]);
  });

  it('skips a price without a start of its own that is valid already', async () => {
    await set(newPrice(1, { from: at(-1_000_000) }));
    const { changed, unchanged, isLate } = await set(newPrice(1), newPrice(1, { from: at(-1_000_000) }));

    expect([changed, isLate, unchanged.map(({ from }) => from)]).toEqual([
      [],
      false,
      [text(-1_000_000), text(-1_000_000)],
    ]);
    expect(await storedPrices()).toHaveLength(1);
  });

  it('keeps a price with a start of its own, which ends one that is set later with an earlier start', async () => {
    await set(newPrice(1, { from: at(100_000) }), newPrice(1, { from: at(300_000) }));
    await set(newPrice(2, { from: at(200_000) }));

    expect((await storedPrices())?.map((found) => found.price?.prices.input)).toEqual([1, 2, 1]);
  });

  it('says when a start is so early, or a write so slow, that requests may have been priced without it', async () => {
    expect((await set(newPrice(1, { from: at(65_000) }))).isLate).toBe(false);
    expect((await set(newPrice(2, { from: at(64_999) }))).isLate).toBe(true);
    const clock = [at(0), at(5_001)];
    const slow = table(() => clock.shift() ?? at(0));
    expect((await setCustomPrices(slow, scope(), [newPrice(3)])).isLate).toBe(true);
  });

  it('keeps all of several concurrent changes', async () => {
    const inputs = [1, 2, 3, 4, 5, 6, 7, 8];
    await Promise.all(inputs.map((input) => set(newPrice(input, { from: at(input * 100_000) }))));

    expect((await storedPrices())?.map((found) => found.price?.prices.input)).toEqual(inputs);
  });

  it('records what each of several concurrent changes has replaced', async () => {
    const organizationId = 'org_concurrent';
    const setInput = (input: number) =>
      setCustomPrices(table(), scope(organizationId), [newPrice(input, { from: at(0) })], audit);
    await Promise.all([1, 2, 3, 4, 5, 6].map(setInput));

    const records = await audit.records(organizationId);
    const inputOf = (values: unknown) => /"input":"(\d)"/.exec(JSON.stringify(values))?.[1];
    const replacements = new Map(records.map(({ before, after }) => [inputOf(before), inputOf(after)]));
    const sequence: string[] = [];
    for (let next = replacements.get(undefined); next !== undefined; next = replacements.get(next)) {
      sequence.push(next);
    }
    const stored = (await storedPrices(organizationId))?.map(({ price }) => String(price?.prices.input));
    expect([records.length, sequence.toSorted()]).toEqual([6, ['1', '2', '3', '4', '5', '6']]);
    expect(stored).toEqual(sequence.slice(-1));
  });

  it('keeps who has set a price, and when', async () => {
    await setCustomPrices(table(), scope('org_author'), [newPrice(1, { from: at(0) })], audit);
    await endCustomPrice(table(), scope('org_author'), { tier: null, from: at(1_000) }, audit);
    await setCustomPrices(table(), scope('org_other'), [newPrice(1)], undefined, audit.actor);
    await setCustomPrices(table(), scope('org_nobody'), [newPrice(1)]);

    const authorsOf = async (id: string) => (await storedPrices(id))?.map(({ set: author }) => author);
    const author = { by: audit.actor.name ?? audit.actor.email ?? audit.actor.id, at: text(0) };
    expect(await authorsOf('org_author')).toEqual([author, author]);
    expect(await authorsOf('org_other')).toEqual([author]);
    expect(await authorsOf('org_nobody')).toEqual([undefined]);
  });

  it('keeps prices for an organization apart from those for all, and marks the model', async () => {
    await setCustomPrices(table(), scope('org_a'), [newPrice(1)]);
    expect(await storedPrices()).toBeUndefined();
    await set(newPrice(2));
    await setCustomPrices(table(), scope('org_b'), [newPrice(3)]);

    const inputOf = async (id: string | null) =>
      (await storedPrices(id))?.map((found) => found.price?.prices.input);
    expect([await inputOf('org_a'), await inputOf(null), await inputOf('org_b')]).toEqual([[1], [2], [3]]);
  });

  it('applies prices in the order of their starts', async () => {
    await set(newPrice(1, { from: at(-1_000_000) }));
    await set(newPrice(1), newPrice(2, { from: at(-500_000) }));

    expect((await storedPrices())?.map((found) => [found.from, found.price?.prices.input])).toEqual([
      [text(-1_000_000), 1],
      [text(-500_000), 2],
      [text(70_000), 1],
    ]);
  });

  it('reports a change whose response was lost', async () => {
    let isLost = true;
    const client = DynamoDBDocumentClient.from(database.client, { marshallOptions: {} });
    client.middlewareStack.add(
      (next, { commandName }) =>
        async (input) => {
          const result = await next(input);
          if (commandName !== 'UpdateItemCommand' || !isLost) return result;
          isLost = false;
          // The SDK repeats the request, whose condition then fails.
          throw new ConditionalCheckFailedException({ message: '', $metadata: {} });
        },
      { step: 'initialize' },
    );
    const { changed, isLate } = await setCustomPrices({ ...table(), client }, scope(), [
      newPrice(1, { from: at(0) }),
    ]);

    expect([isLost, changed.map(({ from }) => from), isLate]).toEqual([false, [text(0)], true]);
    expect(await storedPrices()).toHaveLength(1);
  });

  it('rejects more prices of a model than fit into an item, and changes nothing', async () => {
    const many = Array.from({ length: 4000 }, (_, index) => newPrice(index, { from: at(index * 100_000) }));

    await expect(set(...many)).rejects.toThrow(
      `${model} would have too many custom prices: remove them with`,
    );
    expect(await storedPrices()).toBeUndefined();
    await set(...many.slice(0, 1500));
    expect(await storedPrices()).toHaveLength(1500);
  });
});

describe('Ending a custom price', () => {
  const end = (from: Date | null, tier: string | null = null) =>
    endCustomPrice(table(), scope(), { tier, from });

  it('keeps the price of the past, and removes prices of the tier that start later', async () => {
    await set(
      newPrice(1, { from: at(0) }),
      newPrice(2, { from: at(100_000) }),
      newPrice(9, { from: at(200_000), tier: 'flex' }),
    );
    const { changed, removed, isLate } = await end(null);

    expect(changed).toEqual([{ from: text(70_000), tier: null, price: null }]);
    expect([removed.map(({ from }) => from), isLate]).toEqual([[text(100_000)], false]);
    expect((await storedPrices())?.map(({ from }) => from)).toEqual([text(0), text(70_000), text(200_000)]);
  });

  it('leaves nothing when no price started before', async () => {
    await set(newPrice(1, { from: at(0) }));
    const { changed, removed, isLate } = await end(at(0));

    expect([changed, removed.length, isLate]).toEqual([[], 1, true]);
    expect(await storedPrices()).toBeUndefined();
  });

  it('changes nothing when there is no price to end', async () => {
    await set(newPrice(1, { from: at(0), tier: 'flex' }));

    expect(await end(null)).toEqual({ changed: [], unchanged: [], removed: [], isLate: false });
    await end(null, 'flex');
    expect(await end(at(500_000), 'flex')).toMatchObject({ changed: [], removed: [] });
  });
});
