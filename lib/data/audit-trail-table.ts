import type { Construct } from 'constructs';
import { auditTrailSchema } from '#lambdas/audit/schema.ts';
import type { Grantee } from './grantee.ts';
import { RetainedTable, stringKey } from './retained.ts';

interface AuditTrailTableProps {
  auditRetentionDays: number;
}

/**
 * Records of administrative changes. No function may change or delete one: `PutItem` alone could replace a record, so each
 * is put with the condition that it is new.
 */
export class AuditTrailTable extends RetainedTable {
  private readonly auditRetentionDays: number;

  constructor(scope: Construct, id: string, { auditRetentionDays }: AuditTrailTableProps) {
    super(scope, id, {
      partitionKey: stringKey(auditTrailSchema.partitionKey),
      sortKey: stringKey(auditTrailSchema.sortKey),
      timeToLiveAttribute: auditTrailSchema.expiry,
    });
    this.auditRetentionDays = auditRetentionDays;
  }

  grantRecord(fn: Grantee): void {
    fn.addEnvironment('AUDIT_TRAIL_TABLE', this.tableName);
    fn.addEnvironment('AUDIT_RETENTION_DAYS', String(this.auditRetentionDays));
    fn.allow({ actions: ['dynamodb:PutItem'], resources: [this.tableArn] });
  }

  grantRecordAndRead(fn: Grantee): void {
    this.grantRecord(fn);
    fn.allow({ actions: ['dynamodb:Query'], resources: [this.tableArn] });
  }
}
