import { Duration } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { AccountsTable } from '#lib/data/accounts-table.ts';
import { GatewayFunction } from '#lib/functions/gateway-function.ts';
import type { Settings } from '#lib/settings/settings.ts';
import { identityProviderVariable } from './identity-provider-variable.ts';

interface SignUpFunctionProps {
  settings: Settings;
  accounts: AccountsTable;
}

/** Decides who may sign up, and who must sign in through the company. */
export class SignUpFunction extends GatewayFunction {
  constructor(scope: Construct, id: string, { settings, accounts }: SignUpFunctionProps) {
    super(scope, id, {
      entry: 'accounts/sign-up/sign-up.lambda.ts',
      description: 'Refuses sign-ups and sign-ins that the settings do not allow',
      // Cognito waits no longer:
      // https://docs.aws.amazon.com/cognito/latest/developerguide/cognito-user-pools-working-with-lambda-triggers.html
      timeout: Duration.seconds(5),
      settings,
    });
    this.addEnvironment('SIGN_UP', settings.signUp);
    this.addEnvironment('ORGANIZATION_CREATORS', JSON.stringify(settings.organizationCreators));
    this.addEnvironment('IDENTITY_PROVIDER', identityProviderVariable(settings));
    accounts.grantFindInvitations(this);
  }
}
