/** A Lambda function with the gateway's defaults: runtime, bundle, JSON logs, a dedicated log group and role. */

import { type Duration, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  Architecture,
  Function as LambdaFunction,
  LoggingFormat,
  Runtime,
  Tracing,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { Grantee, Permission } from '../data/grantee.ts';
import type { Settings } from '../settings/settings.ts';
import { functionBundle } from './function-bundle.ts';
import { defaultMemoryMb } from './limits.ts';

export interface GatewayFunctionProps {
  /** The file below `lambdas/` that exports `handler`, such as `inference/inference.lambda.ts`. */
  entry: string;
  description: string;
  timeout: Duration;
  /** Default: `defaultMemoryMb`. */
  memoryMb?: number;
  /** Default: the function shares the unreserved concurrency of the account. */
  reservedConcurrency?: number;
  settings: Pick<Settings, 'logRetentionDays' | 'monitoring' | 'tracing'>;
  /** Default: DESTROY. */
  logRemovalPolicy?: RemovalPolicy;
}

const sendTracesAcknowledgement = {
  id: 'AwsSolutions-IAM5[Resource::*]',
  reason: 'xray:PutTraceSegments and xray:PutTelemetryRecords have no narrower resource.',
};

export class GatewayFunction extends LambdaFunction implements Grantee {
  constructor(scope: Construct, id: string, props: GatewayFunctionProps) {
    const { logRetentionDays, monitoring, tracing } = props.settings;
    const logGroup = new LogGroup(scope, `${id}LogGroup`, {
      retention: logRetentionDays,
      removalPolicy: props.logRemovalPolicy ?? RemovalPolicy.DESTROY,
    });
    // The managed policy of CDK's default role would allow writing to all log groups of the account.
    const role = new Role(scope, `${id}Role`, { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    logGroup.grantWrite(role);

    super(scope, id, {
      description: props.description,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      code: functionBundle(props.entry),
      handler: 'index.handler',
      timeout: props.timeout,
      memorySize: props.memoryMb ?? defaultMemoryMb,
      reservedConcurrentExecutions: props.reservedConcurrency,
      logGroup,
      loggingFormat: LoggingFormat.JSON,
      role,
      tracing: tracing ? Tracing.ACTIVE : undefined,
      environment: { STACK_NAME: Stack.of(scope).stackName, MONITORING: monitoring },
    });
    if (tracing) Validations.of(role).acknowledge(sendTracesAcknowledgement);
  }

  allow(permission: Permission): void {
    this.addToRolePolicy(new PolicyStatement(permission));
  }
}
