import { locale } from "./locale.ts";

const whole = new Intl.NumberFormat(locale, { maximumFractionDigits: 0 });
const compact = new Intl.NumberFormat(locale, { notation: "compact", maximumFractionDigits: 1 });
const signed = new Intl.NumberFormat(locale, { signDisplay: "exceptZero", maximumFractionDigits: 0 });
const oneDigit = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 });
const percent = new Intl.NumberFormat(locale, { style: "percent", maximumFractionDigits: 0 });
const cents = money(2);
const mills = money(3);

function money(digits: 2 | 3): Intl.NumberFormat {
  return new Intl.NumberFormat(locale, {
    style: "currency",
    currency: "USD",
    currencyDisplay: "narrowSymbol",
    minimumFractionDigits: 2,
    maximumFractionDigits: digits,
  });
}

export const count = (value: number): string => whole.format(value);
/** Such as 3.1K, for figures of posts. */
export const short = (value: number): string => compact.format(value);
export const change = (value: number): string => signed.format(value);
export const score = (value: number): string => oneDigit.format(value);
const signedPercent = new Intl.NumberFormat(locale, {
  style: "percent",
  signDisplay: "exceptZero",
  maximumFractionDigits: 0,
});
/** Such as +12%. */
export const signedShare = (value: number): string => signedPercent.format(value);
export const share = (value: number): string => percent.format(value);

/** Dollars. A third digit below one dollar, because X charges parts of a cent per request. */
export const price = (value: number): string => (value >= 1 ? cents : mills).format(value);

const rules = new Intl.PluralRules(locale);

/** Chooses the form of a word by the plural rules of the page's language. */
export function plural(value: number, forms: { readonly one: string; readonly other: string }): string {
  const form = rules.select(value) === "one" ? forms.one : forms.other;
  return form.replace("#", count(value));
}
