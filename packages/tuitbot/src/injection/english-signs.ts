/** Shows that a model followed a stranger's instructions. */
export interface EnglishSign {
  /** The flags g and y would keep state. */
  readonly sign: RegExp;
  /** Completes "the text …". */
  readonly means: string;
}

/**
 * Allowed only in the operator's or caller's words. Wide, because writing again is cheaper than a published
 * attack.
 */
export const ENGLISH_SIGNS: readonly EnglishSign[] = [
  {
    means: "makes an offer",
    sign: /\b(?:giveaway|airdrop|discount|coupon|voucher|promo(?:tion)? codes?|cash ?back|refund(?:s|ed)?|money[- ]back|for free|free (?:trial|access|copy|gift|month|year|shipping|sample|subscription|lifetime)s?)\b|\d+ ?% off\b/i,
  },
  {
    means: "gives a guarantee",
    sign: /\b(?:guarantee[ds]?|(?:I|we) promise|you have (?:my|our) word|risk[- ]free|100% safe)\b/i,
  },
  {
    means: "commits you to something",
    sign: /\b(?:I|we)(?:['’]ll| will| shall|['’]re going to| are going to) (?:\w+ )?(?:send|pay|give|refund|donate|hire|deliver|ship|follow|retweet|repost|call|meet|contact|dm|reward|double|sponsor)\b/i,
  },
  { means: "has a code", sign: /\b[Cc]ode:? [A-Z]{4,}\b/ },
  {
    means: "sends people elsewhere",
    sign: /\b(?:dm|message|text|e-?mail|call|contact|whatsapp) (?:me|us|him|her|them)\b|\b(?:whatsapp|telegram|my discord|in (?:my|the) bio|(?:click|tap) (?:here|the link|below|on)|sign up|subscribe|join (?:us|now|my|our))\b/i,
  },
  {
    means: "speaks of a secret",
    sign: /\b(?:seed phrase|recovery phrase|private key|passwords?|passcode|api key|access token|verification code|credit card|card number)\b/i,
  },
  {
    means: "speaks of its own instructions",
    sign: /\b(?:as an? (?:ai|language model|assistant|chatbot|bot|llm)|(?:large )?language model|system (?:prompt|message)|my (?:instructions|prompt|guidelines|programming)|(?:previous|prior|above|earlier|new) instructions|ignore (?:all|the|any|previous)|jailbr\w+|(?:developer|dan|debug) mode|I(?:['’]m| am) (?:an? )?(?:ai|bot|llm|chatbot|chatgpt|claude|gpt)|I was (?:told|instructed|asked|prompted) to)\b/i,
  },
  {
    means: "speaks as somebody else",
    sign: /\bI(?:['’]m| am) (?:now (?:the|your|an?|in)|(?:the )?(?:ceo|founder|owner|president|admin\w*|support)|your )|\b(?:official|verified) (?:support|account|statement|helpdesk|partner|announcement)\b|\bon behalf of\b|\bspeaking (?:as|for)\b/i,
  },
  { means: "puts on a voice", sign: /\b(?:arr+|ahoy|yarr+|matey|uwu|thou|thee|beep boop)\b/i },
  {
    means: "answers an order",
    sign: /^(?:sure|certainly|of course|understood|acknowledged|confirmed|as (?:you )?(?:requested|asked|instructed))\b[^.!?\n]{0,40}\b(?:here|reply|replying|post|posting|instruct\w*|comply|order)/i,
  },
  { means: "campaigns", sign: /\b(?:vote (?:for|against)|donate to|boycott|sign the petition)\b/i },
  {
    means: "begs for attention",
    sign: /\b(?:follow (?:me|us|back|for)|(?:like and|please) (?:retweet|repost|share)|(?:retweet|repost) (?:this|if|to)|tag (?:\w+ )?friends)\b/i,
  },
  {
    means: "gives advice on money",
    sign: /\b(?:(?:buy|sell|invest|short) (?:\w+ ){0,3}(?:now|today|immediately)|to the moon|financial advice|passive income|easy money)\b/i,
  },
  {
    means: "makes a statement for the business",
    sign: /\bwe (?:hereby|admit|apologi[sz]e|accept (?:full )?(?:liability|responsibility)|were hacked|are shutting down|have been (?:hacked|acquired)|stole)\b|\b(?:lawsuit|bankrupt(?:cy)?|data breach)\b/i,
  },
  { means: "has markup", sign: /<\/?[a-z][^>]{0,500}>|!?\[[^\]]{0,500}\]\([^)]{0,500}\)|```/i },
  {
    means: "is abusive or accuses somebody",
    sign: /\b(?:kill yourself|kys|idiots?|morons?|scam(?:mer)?s?|frauds?|stupid|hate (?:you|them|all))\b/i,
  },
];
