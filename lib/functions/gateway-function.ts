/** A function with the gateway's defaults: runtime, bundle, JSON logs in a group of its own, and a role of its own. */

import { type Duration, RemovalPolicy } from 'aws-cdk-lib';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, Function as LambdaFunction, LoggingFormat, Runtime } from 'aws-cdk-lib/aws-lambda';
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { functionBundle } from './function-bundle.ts';

export interface GatewayFunctionProps {
  /** The file below `lambdas/` that exports `handler`, such as `inference/chat/chat.lambda.ts`. */
  entry: string;
  description: string;
  timeout: Duration;
  /** 256 by default. */
  memoryMb?: number;
  /** Concurrency that is reserved for the function, and its limit; by default what the account has unreserved. */
  reservedConcurrency?: number;
  logRetention: RetentionDays;
  /** What becomes of the log group when it is removed from the stack; DESTROY by default. */
  logRemovalPolicy?: RemovalPolicy;
}

export interface Permission {
  actions: string[];
  resources: string[];
}

export class GatewayFunction extends LambdaFunction {
  constructor(scope: Construct, id: string, props: GatewayFunctionProps) {
    const logGroup = new LogGroup(scope, `${id}LogGroup`, {
      retention: props.logRetention,
      removalPolicy: props.logRemovalPolicy ?? RemovalPolicy.DESTROY,
    });
    // CDK's default role has a managed policy that may write to every log group of the account.
    const role = new Role(scope, `${id}Role`, { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    logGroup.grantWrite(role);

    super(scope, id, {
      description: props.description,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      code: functionBundle(props.entry),
      handler: 'index.handler',
      timeout: props.timeout,
      memorySize: props.memoryMb ?? 256,
      reservedConcurrentExecutions: props.reservedConcurrency,
      logGroup,
      loggingFormat: LoggingFormat.JSON,
      role,
    });
  }

  allow(permission: Permission): void {
    this.addToRolePolicy(new PolicyStatement(permission));
  }
}
