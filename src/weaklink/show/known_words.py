"""The words that a text for strangers may be made of: those of the field, of public software, and a few plain ones.

A name passes where every word of it stands here. What is missing is hidden, which costs a reader a name; a word that
is somebody's would cost a user more, so names of companies, people and places are added only where they are part of
public names.
"""

from __future__ import annotations


def _split_words(text: str) -> frozenset[str]:
    return frozenset(text.split())


SETTINGS = _split_words(
    """
    a accelerator accumulation across act action actions activation actor actors adam adaptive adv advantage
    advantages agent agents aggregation algo algorithm alive alpha always amsgrad anneal annealed annealing arch
    architecture args at auto aux auxiliary average averaging base baseline batch batches batching before best
    beta beta1 beta2 betas better bf16 bfloat16 bias bonus bootstrap both broadcast budget buffer buffers burn
    by c cache cap capacity capture cast centered centralised centralized cfg cg channel channels chat
    checkpoint checkpointing class clip clipped clipping cliprange cnn code coef coeff coefficient coefs collect
    collector column columns compile completion completions concat conditional config constant context
    continuous conv convolution copy correction cosine cost count cpu cql critic critics cross ctrl cuda
    curiosity current curriculum cutoff cycle cycles d damping data dataloader dataset ddp deadline death debug
    decay decays decoder deepspeed default delay delta demo demos depth desired determinism deterministic device
    devices dict dim dimension dimensions dims disable discount discounted discrete distribution distributional
    do double drop dropout ds dual dueling e each eager early elu embed embedding embeddings empirical empty
    enable encoder end ensemble ent entropy env environment environments envs ep episode episodes epoch epochs eps
    epsilon equal estimator eval evals evaluation every exact exp expert exploration exponential extractor
    factor false fc fcnet feature features filter final find first fixed flash flat flatten float float16
    float32 float64 fn for force format fp fp16 fp32 fp8 fraction fragment frame frames free freeze freq
    frequency from fsdp full future gae gail gamma gate gather gaussian gelu generate generation generations
    generator global goal gpu gpus grad gradient gradients graph greater greedy group groups gru gym gymnasium
    half handle head heads her hidden hiddens high hindsight history horizon huber icm id ids ignore impl
    implementation importance in include independent inf info infos init initial initialisation initialization
    inner input inputs int4 int8 interval intrinsic inverse is iter iteration iterations iters jit k keep kernel
    kl ks kwargs l l1 l2 label lag lam lambd lambda last latent layer layers leaky learn learner learning learns
    left len length lengths level levels lib liger limit limits lin line linear lm load local log logging logits
    logprob logprobs lora loss losses low lr lrs lstm m mask maskable masked masking masks max maximum mb mean
    mellowmax memory merge metric metrics micro min mini minibatch minibatches minimum mix mixed mixup mlp mode
    model models modules momentum monitor mp mps mse mu multi multimodal multiple multiplier multiprocessing n
    nan native neftune neg negative nesterov net nets network networks new next no node nodes noise none norm
    normal normalisation normalise normalised normalization normalize normalized normalizer normed nstep num
    number numpy object objective obs observation observations of off offline offset old on one online only
    optim optimise optimiser optimize optimizer optimizers option options order ortho orthogonal ou out output
    outputs p pad padding paged pair parallel parallelism param parameter parameters params partial patience
    peft pen penalty per percent period periodic persistent phase pi plateau policies policy polyak polynomial
    pool pooling pop population pos power precision predict prediction prefetch prefix pretrain pretrained print
    prior prioritised prioritized priority probabilities probability process processes progress prompt prompts
    prop push q qf quantile quantiles quantization queue r ramp random randomization randomize range rank ranks
    rate rates ratio ratios raw ray ref reference regularisation regularization relu remaining remove render
    repeat repetition replace replay replica reset resets residual response responses restart restarts restore
    resume retain return returns revision ret reward rewards right rms rmsprop rnd rnn rollout rollouts root round
    router rows rsample rule run running runs s safe sample sampled sampler samples sampling save scalar scale
    scaled scaler scales scaling schedule scheduled scheduler score scores sde search second seconds seed seeds
    seen segment selection self separate seq sequence sequences serial sgd shaping share shared shift shrinking
    shuffle sigma sigmoid silu simple sims simulation single size sizes skip sleep slow smooth smoothing soft
    softmax softplus space spaces sparse split squash squashed stack stacked standard standardise standardize
    start starting starts state states static stats std step steps sticky stochastic stop strategy stride
    structured student sub subproc substeps success sum swap swish sync synchronous t table tag tanh target
    targets task tau td teacher temp temperature template temporal tensor tensorboard term terminal terminate
    terminated termination test tf32 then threads threshold thresholds time timeout timestep timesteps to tokens
    tolerance tool tools top torch torchrunx total trace train trainable trainer training trajectories
    trajectory transform transformer transformers transition transitions true trunc truncate truncated
    truncation trust twin two type types u uniform unique unit units unused update updates upper use utd
    utilization v val valid validation value values var variance vec vecnormalize vector vectorized verbose
    version vf vllm vloss w wait warm warmup warning weight weighted weights wide width window with without
    worker workers world wrapper wrappers x xavier y z zero zeros zoo
    """
)
"""Words that hyper-parameters of Stable-Baselines3, TorchRL, TRL, RLlib and others are made of."""

QUANTITIES = _split_words(
    """
    abs absolute acc accuracies accuracy achieved actual amount approx approximate approxkl auc averageepret
    averageq1vals averageq2vals averagetestepret averagevvals avg bad bellman bits bleu bytes call calls carried
    charts chosen chunks clipfrac clips collapse collected collecting collection component components compute
    consistency contact contribution control corr correct correctness correlation coverage cumulative cur curr
    curve custom dead delay density diagnostics diff difference distance div divergence done dones dormant
    duration effective efficiency elapsed elo em energy ep eplen eprew error errors ess estimate estimated ev
    evaluate evaluations excess expected explained extra extrinsic factors fail failed failure failures fair
    fairness fall fallen fast feet filtering first5 flops force forces forward fps frac fractions games gap
    general gini good grads ground h height hist histogram hits hour hours idle improvement individual infer
    inference instantaneous invalid iqm items joint joints k1 k2 k3 kld lagged language lat latency lateral
    learners lens lesson lifetime lin logp logps loop loopback lose losses lossq lossv lower mae magnitude major
    margin margins match maxepret median mem minepret minimal minus misc missing moment move ms nll non none nonzero
    numerical objectives occupancy orientation outcome outlier overall parse pass pass1 passrate per perc
    percentage perf performance perplexity pitch pos posture power prob probs proportion proxy quality r2 ram
    rank ratio raw reached reading recall recent region rejected rel relative residuals rew rewarded rewards
    roll rolling rollout rouge sat saturated saturation sec settings shaped side signal similarity skipped slip
    slope smoothness solved speed spread sps stable stat statistic stddev stdepret stdtestepret step structural
    stuck surrogate survival system taken temp temperature termination terminations terrain throughput ticks
    tilt timing torque torques total totalenvinteracts track tracking train trained unclipped undesired unknown
    up updated uptime usage used util utility valids vel velocities velocity violation violations vs wall win
    wins won worst xy xyz yaw
    """
)
"""Words that logged quantities are made of."""

ALGORITHMS = _split_words(
    """
    a2c a3c acer acktr adadelta adafactor adagrad adam adamw adv apex appo ars awac awr bc bco c51 cem cispo cpo
    cql crossq d4pg dagger dapo ddpg ddqn dpo dqn dr dreamer dreamerv2 dreamerv3 drgrpo droq dt edac es fqf gae
    gaussian gfootball grpo grpotrainer gspo her impala ippo iql iqn k3 kfac kto lagrangian lamb lion maddpg
    mappo maskable mbpo mpo muesli muon muzero naf nfsp ngrpo online openes orpo ott pbt pg planet ppg ppo ppo2
    ppoagent ppolstm ppotrainer qmix qrdqn r2d2 rainbow recurrent redq reinforce reinforceplusplus remax return1
    rlhf rloo rlvr rmsprop sac sacd sapo sarsa sft sgd simpo soap spo sql td3 tdmpc tdmpc2 tqc trainers trpo vdn
    vespo vpg vtrace xql
    """
)
"""Algorithms, policies, optimizers and other short words that stand as values."""

ENVIRONMENTS = _split_words(
    """
    a1 academy acrobot adroit adventure adversary aime air ale alfworld alien allegro amc amidar ant antmaze
    anymal assault assembly asterix asteroids atari atlantis attack babyai balance ball bandit bandits bank
    basic battle beam beamrider berzerk bigfish bipedal bipedalwalker blackjack blender bossfight bowling box2
    boxing brax breakout breakoutnoframeskip bsuite button cabinet car carnival carracing cart cartpole cassie
    catch caveflyer center centipede chaser cheetah chess chopper classic cliff cliffwalking climber coinrun
    command connect cooperative corridor countdown craftax crafter crazy crossing crypto cube cup d4rl deadly
    deathmatch defend defender demon derby deterministic dexterous digit dm dmc dodgeball door doorkey double
    drawer dunk dynamic elevator empty enduro escape expert eye faucet fetch finger fish fishing football four
    franka freeway frostbite frozen frozenlake fruitbot fu g1 gap gathering go go1 go2 googlefootball gopher
    gravitar grid gridworld gsm gsm8 h1 half halfcheetah hammer hanabi hand hardcore health heist hero highway
    hockey home hop hopper humaneval humanoid humanoidstandup ice ingenuity insert insertion intersection
    invaders inverted inverteddoublependulum invertedpendulum isaac isaacgym isaaclab jamesbond journey jumper
    kaboom kangaroo key kitchen knights krull kung kungfumaster lab lake lander large lava lavagap lbf leaper
    lift line listener livecodebench locomotion lunar lunarlander manipulator marine marines master math maze
    maze2 mbpp medium merge metaworld minari miner minigrid minihack mjx ml1 ml10 ml45 mnist montezuma
    montezumarevenge mountain mountaincar mpe ms mspacman mt1 mt10 mt50 mujoco multiwalker my namethisgame
    nethack ninja nle noframeskip obstacles obstructed open overcooked pacman panda parking peg pen pendulum
    pettingzoo phoenix phys2 pick pickandplace pilot pinball pistonball pitfall place playground plunder pole
    pong pongnoframeskip pooyan position predict press private procgen pursuit pusher qbert quadcopter quadruped
    racetrack racing raid reach reacher reference relocate replay repose revenge rider riverraid rl road
    roadrunner robosuite robotank rooms rough roundabout run runner rware sb3 seaquest shadow shadowhand side
    simple skiing slide slippery smac smacv2 smart sokoban solaris spaceinvaders speaker spin spot spread
    stacker stand standup stargunner starpilot suite swim swimmer swingup tabular tag taxi tennis text tictactoe
    timepilot toy trifinger turn tutankham umaze unitree unlock v0 v1 v2 v3 v4 v5 velocity venture videopinball
    vizdoom walk walker walker2 walker2d walking walks warp waterworld way webshop window wizard wizardofwor wor
    world yarsrevenge zaxxon zone
    """
)
"""What environments of public registries are named by."""

MODELS = _split_words(
    """
    ai allenai bert coder community deepseek distill eleuther eleutherai gemma google gpt gpt2 hf huggingface
    huggingfacetb instruct internal large llama meta microsoft mini mistral mistralai mixtral model nano olmo
    openai phi pythia qwen qwen2 qwen3 reasoning reward roberta small smollm smollm2 t5 testing thinking tiny
    tinyllama trl verifier vicuna vl xl zephyr
    """
)
"""What public models and their parts are named by."""

SOFTWARE = _split_words(
    """
    a100 aarch64 actionmasker ale amd apple arm64 atariwrapper atariwrappers autoreset backend baselines
    baselines3 bench benchmark bin bool buffers build bytes callback callbacks checker clean cleanrl cli
    clipaction clipreward common contrib core cpu dataclass driver dtype dtypeobservation dummy dummyvecenv
    enforcing env envpool envs episodic episodiclife example examples experiment factory file files fire
    fireonreset flattenobservation flax frame framestack framestacking framestackobservation func function gb
    geforce gen gib go graphics grayscale grayscaleobservation grpcio gsm8k gtx gymnasium h100 h200 hydra init
    int int32 int64 ipynb jax json jsonl kb l4 life linux loader loop ma main make maker maxandskip mb mib ml
    mlagents module mps name names nccl noop nooptransform normalizeobservation normalizereward numpy nvidia
    openrlhf optuna order orderenforcing passive passivechecker passiveenvchecker pcie pettingzoo play point
    preprocessing pt pth pufferlib py pyth python quick rays record recordepisodestatistics recordvideo rescale
    rescaleaction resize resized resizeobservation rl rllib rsl rtx runner runners sandbox sb3 sbx scan script
    scripts sh shm skrl spinningup stable stablebaselines3 statistics subprocvecenv supersuit sweep t4 tb
    tensorboardx tensordict tesla tianshou timeaware timeawareobservation timelimit tinker titan torchrl
    torchvision transformobservation transformreward triton trl tune tuned tuner tuning txt uint8 utils v100
    vecenv vecframestack vecmonitor vectranspose veomni verl video view vmap warp weaklink work xla xpu yaml yml
    zip
    """
)
"""Libraries, devices, and what scripts, functions and wrappers are named by."""

PROSE = _split_words(
    """
    all alone an and any as attempt b baseline broken bug clean control copy crash diagnose different end
    exploding f fast first fix fixed for full g good healthy high how j just know less long low more my new not
    ok okay old or original other our own plain please probe quick rate real repro reproduce result results same
    short sick slow some start stopped the this too try unstable us very wrong
    """
)
"""Plain words that runs and keys are named with."""

WORDS = SETTINGS | QUANTITIES | ALGORITHMS | ENVIRONMENTS | MODELS | SOFTWARE | PROSE
