import { RemovalPolicy } from 'aws-cdk-lib';
import { AttributeType, BillingMode, type CfnTable, Table, type TableProps } from 'aws-cdk-lib/aws-dynamodb';
import { PolicyDocument } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import { refuseWithoutTls } from './tls-only.ts';

/** A string attribute as a key. */
export const stringKey = (name: string) => ({ name, type: AttributeType.STRING });

/** A table whose data outlives mistakes: it is backed up continuously, no deploy deletes it, and TLS is a must. */
export class RetainedTable extends Table {
  constructor(scope: Construct, id: string, props: TableProps) {
    super(scope, id, {
      ...props,
      billingMode: BillingMode.PAY_PER_REQUEST,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: true,
      removalPolicy: RemovalPolicy.RETAIN,
      // Of the table and its indexes.
      resourcePolicy: tlsOnly(),
    });
    if (props.stream !== undefined) this.protectStream();
  }

  /** A stream holds the same data and has a policy of its own, for which `Table` has no property. */
  private protectStream(): void {
    const table = this.node.defaultChild as CfnTable;
    table.addPropertyOverride('StreamSpecification.ResourcePolicy', { PolicyDocument: tlsOnly().toJSON() });
  }
}

function tlsOnly(): PolicyDocument {
  return new PolicyDocument({ statements: [refuseWithoutTls('dynamodb')] });
}
