declare module "twitter-text" {
  interface Located {
    readonly indices: [number, number];
  }
  interface TwitterText {
    parseTweet(text: string): { weightedLength: number; valid: boolean };
    extractUrlsWithIndices(text: string): (Located & { url: string })[];
    extractEntitiesWithIndices(text: string): (Located & {
      url?: string;
      screenName?: string;
      listSlug?: string;
      hashtag?: string;
      cashtag?: string;
    })[];
  }
  const twitterText: TwitterText;
  export default twitterText;
}

declare module "twitter-text/dist/regexp/*.js" {
  const pattern: RegExp;
  export default pattern;
}
