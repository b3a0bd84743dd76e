/** Where a chain's contracts are. Addresses are in lower case; null: there is none, or none is known. */
export interface Deployments {
  readonly poolManager: string | null;
  readonly positionManager: string | null;
  readonly v3Factory: string | null;
  readonly v3PositionManager: string | null;
  readonly wrappedNative: string | null;
  readonly multicall: string | null;
}

/** Multicall3 has the same address on nearly every chain; a node is asked whether it has code there. */
const MULTICALL = "0xca11bde05977b3631167028862be2a173976ca11";

function chain(
  poolManager: string | null,
  positionManager: string | null,
  v3Factory: string | null,
  v3PositionManager: string | null,
  wrappedNative: string | null,
): Deployments {
  return {
    poolManager,
    positionManager,
    v3Factory,
    v3PositionManager,
    wrappedNative,
    multicall: MULTICALL,
  };
}

/** Source: the npm package `@uniswap/sdk-core` 7.19.4, with which a test compares them. */
const KNOWN: ReadonlyMap<number, Deployments> = new Map([
  // Ethereum
  [
    1,
    chain(
      "0x000000000004444c5dc75cb358380d2e3de08a90",
      "0xbd216513d74c8cf14cf4747e6aaa6420ff64ee9e",
      "0x1f98431c8ad98523631ae4a59f267346ea31f984",
      "0xc36442b4a4522e871399cd717abdd847ab11fe88",
      "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2",
    ),
  ],
  // OP Mainnet
  [
    10,
    chain(
      "0x9a13f98cb987694c9f086b1f5eb990eea8264ec3",
      "0x3c3ea4b57a46241e54610e5f022e5c45859a1017",
      "0x1f98431c8ad98523631ae4a59f267346ea31f984",
      "0xc36442b4a4522e871399cd717abdd847ab11fe88",
      "0x4200000000000000000000000000000000000006",
    ),
  ],
  // BNB Chain
  [
    56,
    chain(
      "0x28e2ea090877bf75740558f6bfb36a5ffee9e9df",
      "0x7a4a5c919ae2541aed11041a1aeee68f1287f95b",
      "0xdb1d10011ad0ff90774d0c6bb92e5c5c8b4461f7",
      "0x7b8a01b39d58278b5de7e48c8449c9f4f5170613",
      "0xbb4cdb9cbd36b01bd1cbaebf2de08d9173bc095c",
    ),
  ],
  // Unichain
  [
    130,
    chain(
      "0x1f98400000000000000000000000000000000004",
      "0x4529a01c7a0410167c5740c487a8de60232617bf",
      "0x1f98400000000000000000000000000000000003",
      "0x943e6e07a7e8e791dafc44083e54041d743c46e9",
      "0x4200000000000000000000000000000000000006",
    ),
  ],
  // Polygon
  [
    137,
    chain(
      "0x67366782805870060151383f4bbff9dab53e5cd6",
      "0x1ec2ebf4f37e7363fdfe3551602425af0b3ceef9",
      "0x1f98431c8ad98523631ae4a59f267346ea31f984",
      "0xc36442b4a4522e871399cd717abdd847ab11fe88",
      "0x0d500b1d8e8ef31e21c99d1db9a6444d3adf1270",
    ),
  ],
  // Monad
  [
    143,
    chain(
      "0x188d586ddcf52439676ca21a244753fa19f9ea8e",
      "0x5b7ec4a94ff9bedb700fb82ab09d5846972f4016",
      "0x204faca1764b154221e35c0d20abb3c525710498",
      "0x7197e214c0b767cfb76fb734ab638e2c192f4e53",
      "0x3bd359c1119da7da1d913d1c4d2b7c461115433a",
    ),
  ],
  // World Chain
  [
    480,
    chain(
      "0xb1860d529182ac3bc1f51fa2abd56662b7d13f33",
      "0xc585e0f504613b5fbf874f21af14c65260fb41fa",
      "0x7a5028bda40e7b173c278c5342087826455ea25a",
      "0xec12a9f9a09f50550686363766cc153d03c27b5e",
      "0x4200000000000000000000000000000000000006",
    ),
  ],
  // Base
  [
    8453,
    chain(
      "0x498581ff718922c3f8e6a244956af099b2652b2b",
      "0x7c5f5a4bbd8fd63184577525326123b519429bdc",
      "0x33128a8fc17869897dce68ed026d694621f6fdfd",
      "0x03a520b32c04bf3beef7beb72e919cf822ed34f1",
      "0x4200000000000000000000000000000000000006",
    ),
  ],
  // Arbitrum
  [
    42161,
    chain(
      "0x360e68faccca8ca495c1b759fd9eee466db9fb32",
      "0xd88f38f930b7952f2db2432cb002e7abbf3dd869",
      "0x1f98431c8ad98523631ae4a59f267346ea31f984",
      "0xc36442b4a4522e871399cd717abdd847ab11fe88",
      "0x82af49447d8a07e3bd95bd0d56f35241523fbab1",
    ),
  ],
  // Celo
  [
    42220,
    chain(
      "0x288dc841a52fca2707c6947b3a777c5e56cd87bc",
      "0xf7965f3981e4d5bc383bfbcb61501763e9068ca9",
      "0xafe208a311b21f13ef87e33a90049fc17a7acdec",
      "0x3d79edaabc0eab6f08ed885c05fc0b014290d95a",
      null,
    ),
  ],
  // Avalanche
  [
    43114,
    chain(
      "0x06380c0e0912312b5150364b9dc4542ba0dbbc85",
      "0xb74b1f14d2754acfcbbe1a221023a5cf50ab8acd",
      "0x740b1c1de25031c31ff4fc9a62f554a55cdc1bad",
      "0x655c406ebfa14ee2006250925e54ec43ad184f8b",
      "0xb31f66aa3c1e785363f0875a1b74e27b85fd66c7",
    ),
  ],
  // Ink
  [
    57073,
    chain(
      "0x360e68faccca8ca495c1b759fd9eee466db9fb32",
      "0x1b35d13a2e2528f192637f14b05f0dc0e7deb566",
      "0x640887a9ba3a9c53ed27d0f7e8246a4f933f3424",
      "0xc0836e5b058bbe22ae2266e1ac488a1a0fd8dce8",
      "0x4200000000000000000000000000000000000006",
    ),
  ],
  // Linea
  [
    59144,
    chain(
      "0x248083fb965359d82b06c1f5322480dcfc1ad857",
      "0xddcad5775b2816a87495f207731b3571d7ee3c76",
      "0x31fafd4889fa1269f7a13a66ee0fb458f27d72a9",
      "0x4615c383f85d0a2bbed973d83ccecf5cb7121463",
      "0xe5d7c2a44ffddf6b295a15c148167daaaf5cf34f",
    ),
  ],
  // Blast
  [
    81457,
    chain(
      "0x1631559198a9e474033433b2958dabc135ab6446",
      "0x4ad2f4cca2682cbb5b950d660dd458a1d3f1baad",
      "0x792edade80af5fc680d96a2ed80a44247d2cf6fd",
      "0xb218e4f7cf0533d4696fdfc419a0023d33345f28",
      "0x4300000000000000000000000000000000000004",
    ),
  ],
  // Zora
  [
    7777777,
    chain(
      "0x0575338e4c17006ae181b47900a84404247ca30f",
      "0xf66c7b99e2040f0d9b326b3b7c152e9663543d63",
      "0x7145f8aeef1f6510e92164038e1b6f8cb2c42cbb",
      "0xbc91e8dfa3ff18de43853372a3d7dfe585137d78",
      "0x4200000000000000000000000000000000000006",
    ),
  ],
]);

const NOTHING = chain(null, null, null, null, null);

/** The contracts of a chain; on a chain that is not known, and without addresses of the user's own, only tokens and gas. */
export function deploymentsOf(chainId: number, own: Partial<Deployments> = {}): Deployments {
  return { ...(KNOWN.get(chainId) ?? NOTHING), ...own };
}

/**
 * The dollar that a chain's tokens are priced in where the configuration names none: USDC as its issuer
 * mints it. Source: the issuer's list of contracts.
 */
const DOLLARS: ReadonlyMap<number, string> = new Map([
  [1, "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48"],
  [10, "0x0b2c639c533813f4aa9d7837caf62653d097ff85"],
  [130, "0x078d782b760474a361dda0af3839290b0ef57ad6"],
  [137, "0x3c499c542cef5e3811e1192ce70d8cc03d5c3359"],
  [8_453, "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913"],
  [42_161, "0xaf88d065e77c8cc2239327c5edb3a432268e5831"],
  [43_114, "0xb97ef9ef8734c71904d8002f8b6bc66dd9c48a6e"],
]);

/** The stablecoins of a chain, in lower case; none where none is known. */
export function stablecoinsOf(chainId: number): readonly string[] {
  const dollar = DOLLARS.get(chainId);
  return dollar === undefined ? [] : [dollar];
}
