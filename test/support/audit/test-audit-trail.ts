/** An audit trail for tests, and its records. */
import { type AuditTable, type AuditTrail, createAuditTrail } from '#lambdas/audit/audit-trail.ts';
import { readAuditTrail } from '#lambdas/audit/read.ts';
import { type Actor, type AuditRecord, creatorOf } from '#lambdas/audit/record.ts';
import type { EmbeddedDynamoDB } from '../dynamodb/embedded.ts';
import type { TestTables } from '../dynamodb/tables.ts';

export const testActor: Actor = {
  type: 'user',
  id: 'user-1',
  name: 'Ada Lovelace',
  email: 'ada@example.com',
};

export const testCreator = creatorOf(testActor);

export interface TestAuditTrail extends AuditTrail {
  /** For what another actor changes. */
  as(actor: Actor): AuditTrail;
  /** Oldest first. `null`: what concerns no single organization. */
  records(organizationId: string | null): Promise<AuditRecord[]>;
}

export function createTestAuditTrail(
  { documentClient: client }: Pick<EmbeddedDynamoDB, 'documentClient'>,
  { auditTrail: tableName }: Pick<TestTables, 'auditTrail'>,
  now = () => new Date(),
): TestAuditTrail {
  const table: AuditTable = { client, tableName, retentionDays: 400 };
  const as = (actor: Actor) => createAuditTrail(table, actor, now);
  return {
    ...as(testActor),
    as,
    async records(organizationId) {
      const records: AuditRecord[] = [];
      for (let hasMore = true; hasMore; ) {
        const page = await readAuditTrail(table, {
          organizationId,
          limit: 100,
          beforeId: records.at(-1)?.id,
        });
        records.push(...page.records);
        hasMore = page.hasMore;
      }
      return records.reverse();
    },
  };
}
