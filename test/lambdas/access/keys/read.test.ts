import { BatchGetCommand, type DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashApiKey } from '#lambdas/access/api-key.ts';
import { createDirectoryStore } from '#lambdas/access/directory-store.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { meterReads } from '#test/support/dynamodb/read-meter.ts';
import { createDirectoryFixture, type DirectoryFixture } from '../directory-fixture.ts';

let database: EmbeddedDynamoDB;
let fixture: DirectoryFixture;
beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
  fixture = await createDirectoryFixture(database);
});
afterAll(() => database.stop());

describe('findApiKeyByHash', () => {
  it('finds a key by its hash and returns the record without the hash', async () => {
    const { directory } = fixture;
    const organization = await fixture.createOrganization();
    const expires_at = '2027-01-01T00:00:00.000Z';
    const apiKey = await fixture.createKey(organization, { expires_at }, hashApiKey('the key'));

    expect(await directory.findApiKeyByHash(hashApiKey('the key'))).toEqual(apiKey);
    expect(await directory.findApiKeyByHash(hashApiKey('another key'))).toBeNull();
  });
});

describe('findApiKey', () => {
  it('finds a key only by its own id and organization', async () => {
    const { directory } = fixture;
    const organization = await fixture.createOrganization();
    const apiKey = await fixture.createKey(organization);
    await fixture.createKey(organization);

    expect(await directory.findApiKey(organization.id, apiKey.id)).toEqual(apiKey);
    expect(await directory.findApiKey('org_other', apiKey.id)).toBeNull();
    expect(await directory.findApiKey(organization.id, 'key_unknown')).toBeNull();
  });
});

describe('listApiKeys', () => {
  it('lists the keys of one organization oldest first, including revoked and expired keys', async () => {
    const { directory, audit, clock } = fixture;
    const organization = await fixture.createOrganization();
    const oldest = await fixture.createKey(organization, { id: 'key_z' });
    clock.nowMs += 1000;
    const expired = await fixture.createKey(organization, {
      id: 'key_a',
      expires_at: '2026-01-03T00:00:00.000Z',
    });
    await fixture.createKey(await fixture.createOrganization());
    const revoked = await directory.revokeApiKey(organization.id, oldest.id, audit);

    expect(await directory.listApiKeys(organization.id)).toEqual([revoked, expired]);
    expect(await directory.listApiKeys('org_unknown')).toEqual([]);
  });

  it('reads more than 100 keys with strong consistency, and again those that DynamoDB left out', async () => {
    const organization = await fixture.createOrganization();
    await fixture.createKeys(organization, 205);
    const batchSizes: number[] = [];
    // Leaves out all but 60 keys of each call.
    const send = async (command: BatchGetCommand) => {
      if (!(command instanceof BatchGetCommand)) return database.documentClient.send(command as never);
      const [[name, request] = expect.fail()] = Object.entries(command.input.RequestItems ?? {});
      const keys = request.Keys ?? [];
      batchSizes.push(keys.length);
      const RequestItems = { [name]: { ...request, Keys: keys.slice(0, 60) } };
      const output = await database.documentClient.send(new BatchGetCommand({ RequestItems }));
      const left = keys.slice(60);
      return { ...output, UnprocessedKeys: left.length > 0 ? { [name]: { ...request, Keys: left } } : {} };
    };
    const client: DynamoDBDocumentClient = Object.assign(Object.create(database.documentClient), { send });
    const meter = meterReads(database.client);

    const keys = await createDirectoryStore({ ...fixture.table, client }).listApiKeys(organization.id);

    expect(new Set(keys.map(({ id }) => id)).size).toBe(205);
    expect(batchSizes.sort((a, b) => a - b)).toEqual([5, 40, 40, 100, 100]);
    const consistency = meter.take().map(({ input }) => {
      const [request] = Object.values(
        (input.RequestItems ?? {}) as Record<string, { ConsistentRead: boolean }>,
      );
      return input.ConsistentRead ?? request?.ConsistentRead;
    });
    expect(consistency).toEqual(Array.from({ length: 6 }, () => true));
  });
});
