/** Revokes the keys of removed members. The stream of the Directory table starts the function. */

import { Duration, Validations } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import { keyRevocationsPartition } from '#lambdas/accounts/schema.ts';
import type { AccountsTable } from '#lib/data/accounts-table.ts';
import type { AuditTrailTable } from '#lib/data/audit-trail-table.ts';
import type { DirectoryTable } from '#lib/data/tables.ts';
import { GatewayFunction } from '#lib/functions/gateway-function.ts';
import { directorySource, listStreamsAcknowledgement } from '#lib/functions/stream-sources.ts';
import type { Settings } from '#lib/settings/settings.ts';

interface KeyRevocationsProps {
  settings: Settings;
  accounts: AccountsTable;
  directory: DirectoryTable;
  auditTrail: AuditTrailTable;
}

export class KeyRevocations extends Construct {
  readonly function: GatewayFunction;

  constructor(scope: Construct, id: string, props: KeyRevocationsProps) {
    super(scope, id);
    const fn = new GatewayFunction(this, 'Function', {
      entry: 'accounts/key-revocations/key-revocations.lambda.ts',
      description: 'Revokes the API keys of removed members',
      timeout: Duration.minutes(15),
      // A whole processor: thousands of keys must be refused within two minutes.
      memoryMb: 1769,
      settings: props.settings,
    });
    this.function = fn;
    props.accounts.grantFindSession(fn);
    props.directory.grantRevokeKeys(fn);
    props.auditTrail.grantRecord(fn);
    // Repeated until the records leave the stream, after a day. Each invocation continues all revocations.
    fn.addEventSource(directorySource(props.directory, keyRevocationsPartition));
    Validations.of(this).acknowledge(listStreamsAcknowledgement);
  }
}
