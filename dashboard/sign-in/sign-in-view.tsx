import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { Building2 } from 'lucide-react';
import { useEffect, useState } from 'react';
import { signInOptionsQuery } from '#dashboard/api/sign-in.ts';
import { BrandMark, productName } from '#dashboard/components/brand.tsx';
import { Button, buttonClasses } from '#dashboard/components/button.tsx';
import { Notice } from '#dashboard/components/feedback/notice.tsx';
import { useDocumentTitle } from '#dashboard/components/page.tsx';
import { forgetLeaveReason, leaveReason, signInUrl } from '#dashboard/shell/sign-in-service.ts';
import { ConvergingLines } from './converging-lines.tsx';
import { errorMessage, leaveMessage } from './messages.ts';

export function SignInView() {
  useDocumentTitle('Sign in');
  const { error, return_to: returnTo } = useSearch({ from: '/sign-in' });
  const options = useQuery(signInOptionsQuery);
  const company = options.data?.identity_provider;
  const [leftBecause] = useState(leaveReason);
  useEffect(forgetLeaveReason, []);

  const message = error ? errorMessage(error, company?.name) : leftBecause && leaveMessage(leftBecause);
  const primaryIsCompany = error === 'company_sign_in_required' && company;

  return (
    <div className="flex min-h-dvh flex-col items-center overflow-x-clip px-4 pt-[max(5rem,18vh)] pb-12">
      <main className="w-full max-w-[23rem]">
        <div className="relative flex justify-center">
          <ConvergingLines />
          <BrandMark className="relative size-14" />
        </div>
        <h1 tabIndex={-1} className="mt-7 text-center text-[1.75rem]/8 font-semibold tracking-[-0.03em]">
          {productName}
        </h1>
        <p className="mt-2 text-center text-[0.9375rem]/6 text-muted">
          One endpoint for every AI model, with the exact cost of each request.
        </p>
        {message && (
          <div className="mt-6">
            <Notice
              tone={message.tone}
              title={message.title}
              role={message.tone === 'danger' ? 'alert' : 'status'}
            >
              {message.text}
            </Notice>
          </div>
        )}
        <div className="mt-8 flex flex-col gap-2.5">
          <a
            href={signInUrl({ returnTo })}
            className={buttonClasses({ variant: primaryIsCompany ? 'secondary' : 'primary', size: 'large' })}
          >
            Sign in
          </a>
          <a href={signInUrl({ returnTo, screen: 'sign_up' })} className={buttonClasses({ size: 'large' })}>
            Create account
          </a>
          {options.data?.sign_up === 'invited' && (
            <p className="mt-0.5 text-center text-[0.8125rem] text-muted">Accounts are by invitation.</p>
          )}
        </div>
        {company && (
          <>
            <div aria-hidden className="my-6 flex items-center gap-3 text-xs text-muted">
              <span className="h-px flex-1 bg-line" />
              or
              <span className="h-px flex-1 bg-line" />
            </div>
            <a
              href={signInUrl({ returnTo, identityProvider: company.idp_identifier })}
              className={`${buttonClasses({ variant: primaryIsCompany ? 'primary' : 'secondary', size: 'large' })} w-full`}
            >
              <Building2 aria-hidden />
              Continue with {company.name}
            </a>
          </>
        )}
        {options.isError && (
          <div className="mt-6 flex items-center justify-between gap-3 text-[0.8125rem] text-muted">
            <p>Other ways to sign in could not be loaded.</p>
            <Button size="small" pending={options.isFetching} onClick={() => options.refetch()}>
              Try again
            </Button>
          </div>
        )}
      </main>
    </div>
  );
}
