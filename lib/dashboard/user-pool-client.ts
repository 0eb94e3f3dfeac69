/** The function `Session` as a client of the user pool. */

import { Duration } from 'aws-cdk-lib';
import {
  CfnManagedLoginBranding,
  OAuthScope,
  UserPoolClient,
  UserPoolClientIdentityProvider,
} from 'aws-cdk-lib/aws-cognito';
import type { Construct } from 'constructs';
import type { CompanySignIn } from './company-sign-in.ts';
import type { DashboardUserPool } from './user-pool.ts';

interface DashboardClientProps {
  userPool: DashboardUserPool;
  /** Without a trailing slash. */
  dashboardOrigin: string;
  companySignIn: CompanySignIn | null;
}

/** A session is renewed every hour, so its tokens live a little longer. */
const tokenValidity = Duration.minutes(65);
const sessionValidity = Duration.hours(12);

export class DashboardClient extends UserPoolClient {
  constructor(scope: Construct, id: string, props: DashboardClientProps) {
    const { userPool, dashboardOrigin, companySignIn } = props;
    super(scope, id, {
      userPool,
      generateSecret: true,
      // Refresh tokens rotate, with which Cognito does not allow ALLOW_REFRESH_TOKEN_AUTH. CDK adds no other flow.
      authFlows: { user: true },
      oAuth: {
        flows: { authorizationCodeGrant: true },
        // With the last scope, the access token reads and changes the account of its user.
        scopes: [OAuthScope.OPENID, OAuthScope.EMAIL, OAuthScope.PROFILE, OAuthScope.COGNITO_ADMIN],
        callbackUrls: [
          `${dashboardOrigin}/dashboard/api/callback`,
          // The page for adding a passkey returns here.
          `${dashboardOrigin}/account/security`,
        ],
        logoutUrls: [`${dashboardOrigin}/`],
      },
      supportedIdentityProviders: [
        UserPoolClientIdentityProvider.COGNITO,
        ...(companySignIn === null
          ? []
          : [UserPoolClientIdentityProvider.custom(companySignIn.providerName)]),
      ],
      // The maximum: whoever must set up an authenticator app may have to install one first.
      authSessionValidity: Duration.minutes(15),
      accessTokenValidity: tokenValidity,
      idTokenValidity: tokenValidity,
      refreshTokenValidity: sessionValidity,
      // For the time in which a renewal whose response was lost is repeated with the old token.
      refreshTokenRotationGracePeriod: Duration.minutes(1),
      enableTokenRevocation: true,
      preventUserExistenceErrors: true,
    });
    if (companySignIn !== null) this.node.addDependency(companySignIn);
    // Without a branding, managed login shows an error instead of its pages.
    new CfnManagedLoginBranding(this, 'Branding', {
      userPoolId: userPool.userPoolId,
      clientId: this.userPoolClientId,
      useCognitoProvidedValues: true,
    });
  }
}
